// Receives bodies within one memory limit for all connections: beyond it, the address that holds the most loses its longest body.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS, PresageError } from '@presage/protocol';
import { HeldBytes, type Holder } from './held-bytes.ts';
import type { HttpRequest } from './http/request.ts';
import { toRateKey } from './request-origin.ts';

/** Called once, with the whole body or the error that refuses it. */
type OnReceived = (body: Buffer | PresageError) => void;

const NO_BODY = Buffer.alloc(0);
/** Initial buffer; most orders fit. */
const FIRST_BYTES = 1_024;

export class ReceivedBodies {
  readonly #partial: HeldBytes;

  constructor(limitBytes: number = LIMITS.bodiesPartialBytes) {
    // One connection or address may use the whole limit while nobody else needs it: behind a proxy all bodies come from one address.
    this.#partial = new HeldBytes({ connection: limitBytes, address: limitBytes, all: limitBytes });
  }

  /** Memory held by incomplete bodies. */
  get partialBytes(): number {
    return this.#partial.bytes;
  }

  /** Receives a body. Never calls back if the sender leaves or is cut off for being slow, since nobody is left to answer. */
  receive(request: IncomingMessage, onReceived: OnReceived, address = request.socket.remoteAddress ?? ''): void {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    if (coding === undefined && Number(length) === 0) onReceived(NO_BODY);
    else if (Number(length) > LIMITS.bodyBytes) onReceived(new PresageError('body_too_large'));
    else new PartialBody({ request, address, partial: this.#partial, onReceived });
  }
}

interface PartialBodyOptions {
  readonly request: IncomingMessage;
  readonly address: string;
  readonly partial: HeldBytes;
  readonly onReceived: OnReceived;
}

class PartialBody implements Holder {
  readonly connection: Socket;
  readonly address: string;
  readonly #request: IncomingMessage;
  readonly #partial: HeldBytes;
  readonly #onReceived: OnReceived;
  /** Length given by the headers; NaN for a chunked body. */
  readonly #length: number;
  /** A single growing buffer: as a list of chunks, a body sent byte by byte would take a hundred times its length. */
  #buffer = NO_BODY;
  #bytes = 0;

  constructor({ request, address, partial, onReceived }: PartialBodyOptions) {
    this.connection = request.socket;
    this.address = toRateKey(address);
    this.#request = request;
    this.#partial = partial;
    this.#onReceived = onReceived;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    this.#length = coding === undefined ? Number(length) : Number.NaN;
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#stop);
  }

  giveUp(): void {
    this.#finish(new PresageError('overloaded'));
  }

  readonly #onData = (chunk: Buffer): void => {
    const bytes = this.#bytes + chunk.length;
    // Most bodies arrive in one chunk with their headers. The chunk is copied, since it is part of a larger buffer.
    if (chunk.length === this.#length) this.#finish(Buffer.from(chunk));
    else if (bytes > LIMITS.bodyBytes) this.#finish(new PresageError('body_too_large'));
    else this.#keep(chunk, bytes);
  };

  readonly #onEnd = (): void => this.#finish(this.#buffer.subarray(0, this.#bytes));

  readonly #stop = (): void => {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#stop);
    this.#partial.note(this, 0);
  };

  #keep(chunk: Buffer, bytes: number): void {
    if (bytes > this.#buffer.length) this.#grow(bytes);
    chunk.copy(this.#buffer, this.#bytes);
    this.#bytes = bytes;
    this.#partial.note(this, this.#buffer.length);
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(
      Math.min(LIMITS.bodyBytes, Math.max(bytes, this.#buffer.length * 2, FIRST_BYTES)),
    );
    this.#buffer.copy(larger, 0, 0, this.#bytes);
    this.#buffer = larger;
  }

  /** Reports the outcome once; the rest of a refused body is discarded. */
  #finish(outcome: Buffer | PresageError): void {
    this.#stop();
    this.#onReceived(outcome);
  }
}

/** Calls `next` once the body has arrived; immediately on a second call for the same request. */
export type ReceiveBody = (request: HttpRequest, next: (refusal?: PresageError) => void) => void;

export function createBodyReceiver(bodies: ReceivedBodies): ReceiveBody {
  return (request, next) => {
    request.receivedBody ??= request.raw.wholeBody;
    if (request.receivedBody !== undefined) return next();
    const onReceived: OnReceived = (outcome) => {
      if (Buffer.isBuffer(outcome)) {
        request.receivedBody = outcome;
        return next();
      }
      request.isShed = outcome.code === 'overloaded';
      next(outcome);
    };
    bodies.receive(request.streamed, onReceived, request.address);
  };
}
