// The request and answer types that the service uses, implemented by node:http and by the quick reader.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** A request as received; Node's IncomingMessage is one. */
export interface RawRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** The whole body, if it came with the headers. */
  readonly wholeBody?: Buffer;
}

/** An answer to write to; Node's ServerResponse is one. */
export interface RawResponse {
  readonly req: Pick<RawRequest, 'socket'>;
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  /** Bytes that the client has not taken yet. */
  readonly writableLength: number;
  /** `headers` alternates names and values. The message is required: without it node reuses that of a head that it failed to write. */
  writeHead(status: number, message: string, headers: string[]): unknown;
  end(body?: string | Buffer): unknown;
  /** Ends the connection. */
  destroy(): unknown;
  /** 'finish' fires when everything is sent; 'close' fires after it, or when the client has left. */
  once(event: 'close' | 'finish', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}
