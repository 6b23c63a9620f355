// What is held in memory for all connections together, bodies on their way in and answers on their way out: past a limit those that hold the most are given up.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS, PresageError } from '@presage/protocol';
import type { HttpRequest } from './http/request.ts';

interface Backlogged {
  /** Releases everything held for this holder. */
  giveUp(): void;
}

export class SharedBacklog {
  readonly #limitBytes: number;
  readonly #held = new Map<Backlogged, number>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records the memory held for `holder`. Among equally large holders the oldest is dropped first. */
  note(holder: Backlogged, bytes: number): void {
    this.#bytes += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
    while (this.#bytes > this.#limitBytes && this.#held.size > 0) this.#giveUpLargest();
  }

  #giveUpLargest(): void {
    let largest: Backlogged | undefined;
    let most = 0;
    for (const [holder, bytes] of this.#held) if (bytes > most) [largest, most] = [holder, bytes];
    if (largest === undefined) return;
    this.#held.delete(largest);
    this.#bytes -= most;
    largest.giveUp();
  }
}

/** An answer that is not read yet. */
class UnreadAnswer {
  readonly #response: ServerResponse;
  readonly #shared: SharedBacklog;

  constructor(response: ServerResponse, shared: SharedBacklog) {
    this.#response = response;
    this.#shared = shared;
    response.once('close', () => shared.note(this, 0));
  }

  note(bytes: number): void {
    if (!this.#response.destroyed) this.#shared.note(this, bytes);
  }

  giveUp(): void {
    // Closes the connection, because an answer queued behind another has no socket yet.
    this.#response.req.socket.destroy();
  }
}

/** Counts the bytes that an answer holds now. */
export function boundUnreadAnswers(limitBytes: number = LIMITS.answersUnreadBytes) {
  const shared = new SharedBacklog(limitBytes);
  const answers = new WeakMap<ServerResponse, UnreadAnswer>();
  return (response: ServerResponse, bytes: number): void => {
    const answer = answers.get(response) ?? new UnreadAnswer(response, shared);
    answers.set(response, answer);
    answer.note(bytes);
  };
}

/** Called once: with the whole body, or with the reason of its refusal. */
type OnReceived = (body: Buffer | PresageError) => void;

const NO_BODY = Buffer.alloc(0);
/** Initial buffer; most orders fit. */
const FIRST_BYTES = 1_024;

export class ReceivedBodies {
  readonly #partial: SharedBacklog;

  constructor(limitBytes: number = LIMITS.bodiesPartialBytes) {
    this.#partial = new SharedBacklog(limitBytes);
  }

  /** Memory held by incomplete bodies. */
  get partialBytes(): number {
    return this.#partial.bytes;
  }

  /** Does not call back if the sender leaves or is cut off for being slow: there is nobody to answer. */
  receive(request: IncomingMessage, onReceived: OnReceived): void {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    if (coding === undefined && Number(length) === 0) onReceived(NO_BODY);
    else if (Number(length) > LIMITS.bodyBytes) onReceived(new PresageError('body_too_large'));
    else new PartialBody(request, this.#partial, onReceived);
  }
}

class PartialBody {
  readonly #request: IncomingMessage;
  readonly #shared: SharedBacklog;
  readonly #onReceived: OnReceived;
  /** The length that its headers name; NaN for a body in chunks. */
  readonly #length: number;
  /** A single growing buffer: as a list of chunks, a body sent byte by byte would take a hundred times its length. */
  #buffer = NO_BODY;
  #bytes = 0;

  constructor(request: IncomingMessage, shared: SharedBacklog, onReceived: OnReceived) {
    this.#request = request;
    this.#shared = shared;
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
    // Most bodies arrive in one piece with their headers. They are copied, since the piece is a part of a larger buffer.
    if (chunk.length === this.#length) this.#finish(Buffer.from(chunk));
    else if (bytes > LIMITS.bodyBytes) this.#finish(new PresageError('body_too_large'));
    else this.#keep(chunk, bytes);
  };

  readonly #onEnd = (): void => this.#finish(this.#buffer.subarray(0, this.#bytes));

  readonly #stop = (): void => {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#stop);
    this.#shared.note(this, 0);
  };

  #keep(chunk: Buffer, bytes: number): void {
    if (bytes > this.#buffer.length) this.#grow(bytes);
    chunk.copy(this.#buffer, this.#bytes);
    this.#bytes = bytes;
    this.#shared.note(this, this.#buffer.length);
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(
      Math.min(LIMITS.bodyBytes, Math.max(bytes, this.#buffer.length * 2, FIRST_BYTES)),
    );
    this.#buffer.copy(larger, 0, 0, this.#bytes);
    this.#buffer = larger;
  }

  /** The rest of a refused body is discarded. */
  #finish(outcome: Buffer | PresageError): void {
    this.#stop();
    this.#onReceived(outcome);
  }
}

/** Calls `next` once the body has arrived; immediately on a second call for the same request. */
export type ReceiveBody = (request: HttpRequest, next: (refusal?: PresageError) => void) => void;

export function createBodyReceiver(bodies: ReceivedBodies): ReceiveBody {
  return (request, next) => {
    if (request.receivedBody !== undefined) return next();
    bodies.receive(request.raw, (outcome) => {
      if (Buffer.isBuffer(outcome)) {
        request.receivedBody = outcome;
        return next();
      }
      request.isShed = outcome.code === 'overloaded';
      next(outcome);
    });
  };
}
