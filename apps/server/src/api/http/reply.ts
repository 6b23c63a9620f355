// An answer in progress: collects status and headers and writes them together with the body.
import { ServerResponse, STATUS_CODES } from 'node:http';
import type { RawResponse } from './exchange.ts';
import { QuickResponse } from './quick-response.ts';

/** Fields of the request that an answer needs. */
interface Asked {
  readonly id: string;
  /** Address of the client; empty until it is known. */
  readonly address: string;
}

/** Serializes a payload and writes it. */
type Finish = (reply: HttpReply, payload: unknown) => void;

/** Rules shared by all answers. */
export interface ReplyRules {
  /** Headers of every answer: alternating names and values. */
  readonly common: readonly string[];
  /** Records the bytes that an answer to an address currently holds in memory, until it is read. */
  readonly noteHeld: (response: RawResponse, address: string, bytes: number) => void;
  /** Whether there is memory for long answers at the moment. */
  readonly hasRoom: () => boolean;
}

/** Number of list entries, names and values, that every answer begins with. */
const FIRST_HEADERS = 4;

export class HttpReply {
  readonly raw: RawResponse;
  statusCode = 200;
  readonly #request: Asked;
  readonly #finish: Finish;
  readonly #rules: ReplyRules;
  /** Headers: alternating lower-case names and values. A flat array, because answers have few headers and it is written without a copy. */
  readonly #headers: string[];
  #heldBytes = 0;
  #pipedBytes = 0;
  #isSent = false;
  #isRetracted = false;
  #onWritten: (() => void) | undefined;

  constructor(request: Asked, raw: RawResponse, rules: ReplyRules, finish: Finish) {
    this.#request = request;
    this.raw = raw;
    this.#rules = rules;
    this.#finish = finish;
    this.#headers = ['vary', 'Origin', 'x-request-id', request.id];
  }

  /** Whether an answer was given, even if it is not written yet. */
  get isSent(): boolean {
    return this.#isSent;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: string | number): this {
    const key = name.toLowerCase();
    const at = this.#indexOf(key);
    if (at === -1) this.#headers.push(key, String(value));
    else this.#headers[at + 1] = String(value);
    return this;
  }

  getHeader(name: string): string | undefined {
    const at = this.#indexOf(name.toLowerCase());
    return at === -1 ? undefined : this.#headers[at + 1];
  }

  hasHeader(name: string): boolean {
    return this.#indexOf(name.toLowerCase()) !== -1;
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  /** Sends text and bytes as they are, a readable stream at the reader's pace, everything else as JSON. Only the first call counts. */
  send(payload?: unknown): this {
    if (this.#isSent) return this;
    this.#isSent = true;
    this.#finish(this, payload);
    return this;
  }

  /** Retracts an answer that cannot be sent; false if part of it was written or one was already retracted. */
  retract(): boolean {
    const isFirst = !this.#isRetracted && !this.raw.headersSent;
    this.#isRetracted = true;
    this.#isSent = !isFirst;
    return isFirst;
  }

  /** Drops the answer's own headers, since one of them may be the reason why it cannot be written. */
  dropHeaders(): void {
    this.#headers.length = FIRST_HEADERS;
  }

  /** Starts an event stream. Sends the headers at once, so that a reader knows it is connected before the first event. */
  startEvents(): ServerResponse {
    this.#isSent = true;
    this.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache, no-transform');
    // Buffering proxies would delay events.
    this.header('x-accel-buffering', 'no');
    this.writeHead();
    const { stream } = this;
    stream.flushHeaders();
    return stream;
  }

  /** Node's response of a route that is declared as streamed. */
  get stream(): ServerResponse {
    if (this.raw instanceof ServerResponse) return this.raw;
    throw new Error('the route is not declared to be streamed');
  }

  writeHead(): void {
    const { raw, statusCode } = this;
    const { common } = this.#rules;
    const message = STATUS_CODES[statusCode] ?? 'unknown';
    if (raw instanceof QuickResponse) raw.writeHead(statusCode, message, this.#headers, common);
    else raw.writeHead(statusCode, message, [...common, ...this.#headers]);
    this.#onWritten?.();
  }

  /** Sets the one listener that is called once the answer is written, which may be long before its client reads it. */
  whenWritten(listener: () => void): void {
    if (this.raw.headersSent) listener();
    else this.#onWritten = listener;
  }

  /** Ends the answer; `bytes` is the length of the body as sent. */
  end(body: string | Buffer, bytes: number): void {
    if (this.raw instanceof QuickResponse) this.raw.end(body, bytes === body.length);
    else this.raw.end(body);
    this.noteUnsent();
  }

  /** Whether there is memory for a long answer. */
  get hasRoom(): boolean {
    return this.#rules.hasRoom();
  }

  /** Records the bytes that the answer currently holds, until it is sent. */
  noteHeld(bytes: number): void {
    this.#heldBytes = bytes;
    this.#noteAll();
  }

  /** Records the buffers between the source of an answer and its connection, until the connection is closed. */
  notePiped(bytes: number): void {
    this.#pipedBytes = bytes;
    this.#noteAll();
  }

  /** Records written bytes that the client has not taken yet, if any. */
  noteUnsent(): void {
    const { writableLength } = this.raw;
    if (writableLength > 0) this.noteHeld(writableLength);
  }

  #noteAll(): void {
    this.#rules.noteHeld(this.raw, this.#request.address, this.#heldBytes + this.#pipedBytes);
  }

  #indexOf(key: string): number {
    const headers = this.#headers;
    for (let at = 0; at < headers.length; at += 2) if (headers[at] === key) return at;
    return -1;
  }
}
