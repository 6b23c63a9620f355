// An answer while it is being made: status and headers are gathered here and written at once with the body.
import { ServerResponse, STATUS_CODES } from 'node:http';
import type { RawResponse } from './exchange.ts';
import { QuickResponse } from './quick-response.ts';

/** What an answer needs to know of its request. */
interface Asked {
  readonly id: string;
  /** Address of the client; empty until it is known. */
  readonly address: string;
}

/** Brings a payload into its last shape and writes it. */
type Finish = (reply: HttpReply, payload: unknown) => void;

/** The same for all answers. */
export interface ReplyRules {
  /** Names and values in turn, sent with every answer. */
  readonly common: readonly string[];
  /** Records the bytes that an answer to an address keeps in memory now, until it is read. */
  readonly noteHeld: (response: RawResponse, address: string, bytes: number) => void;
  /** Whether long answers can be kept at the moment. */
  readonly hasRoom: () => boolean;
}

/** Names and values that every answer begins with. */
const FIRST_HEADERS = 4;

export class HttpReply {
  readonly raw: RawResponse;
  statusCode = 200;
  readonly #request: Asked;
  readonly #finish: Finish;
  readonly #rules: ReplyRules;
  /** Names in lower case and values in turn: an answer has few, and an array is written without another copy. */
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

  /** Whether an answer was given, even if it is still on its way. */
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

  /** Text and bytes are sent as they are, a readable stream at the reader's pace, everything else as JSON. Only the first answer counts. */
  send(payload?: unknown): this {
    if (this.#isSent) return this;
    this.#isSent = true;
    this.#finish(this, payload);
    return this;
  }

  /** Takes back an answer that cannot be given; false if something of it was written, or if it is the second one. */
  retract(): boolean {
    const isFirst = !this.#isRetracted && !this.raw.headersSent;
    this.#isRetracted = true;
    this.#isSent = !isFirst;
    return isFirst;
  }

  /** One of them may be what cannot be written. */
  dropHeaders(): void {
    this.#headers.length = FIRST_HEADERS;
  }

  /** Sends the headers at once and leaves the rest to the caller: a reader must not wait for the first event to know that it is connected. */
  startEvents(): ServerResponse {
    this.#isSent = true;
    this.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache, no-transform');
    // Proxies that buffer would hold events back.
    this.header('x-accel-buffering', 'no');
    this.writeHead();
    const { stream } = this;
    stream.flushHeaders();
    return stream;
  }

  /** The answer of a route that is declared to be streamed, to write its pieces to. */
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

  /** Calls the listener, of which there is one, once the answer is written, which may be long before its client reads it. */
  whenWritten(listener: () => void): void {
    if (this.raw.headersSent) listener();
    else this.#onWritten = listener;
  }

  /** `bytes` is the length of the body as it is sent. */
  end(body: string | Buffer, bytes: number): void {
    if (this.raw instanceof QuickResponse) this.raw.end(body, bytes === body.length);
    else this.raw.end(body);
    this.noteUnsent();
  }

  /** Whether there is memory for a long answer. */
  get hasRoom(): boolean {
    return this.#rules.hasRoom();
  }

  /** Records the bytes that the answer holds now, for as long as it is not sent. */
  noteHeld(bytes: number): void {
    this.#heldBytes = bytes;
    this.#noteAll();
  }

  /** Records the buffers between the source of an answer and its connection, until the connection is closed. */
  notePiped(bytes: number): void {
    this.#pipedBytes = bytes;
    this.#noteAll();
  }

  /** Records what the client has not taken yet of what was written; nothing for a client that takes everything at once. */
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
