// What the service uses of a request and of its answer, whether node:http reads and writes them or the quick reader does.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** Node's IncomingMessage is one. */
export interface RawRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** The whole body, if it came with the headers. */
  readonly wholeBody?: Buffer;
}

/** Node's ServerResponse is one. */
export interface RawResponse {
  readonly req: Pick<RawRequest, 'socket'>;
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  /** Bytes that the client has not taken yet. */
  readonly writableLength: number;
  /** Headers are names and values in turn. Without a message node keeps that of a head that it could not write. */
  writeHead(status: number, message: string, headers: string[]): unknown;
  end(body?: string | Buffer): unknown;
  /** Ends the connection. */
  destroy(): unknown;
  /** 'finish' comes when everything is sent; 'close' comes behind it, or when the client has left. */
  once(event: 'close' | 'finish', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}
