// Writes the answer to a request that was read without node:http: head and body in one write, as node would write them.
import { validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { RawRequest, RawResponse } from './exchange.ts';

/** Connection settings that an answer needs. */
export interface QuickLine {
  readonly keepAliveMs: number;
  /** Time for a reader to take any part of an answer. */
  readonly stallMs: number;
  /** Whether the connection must end with this answer. */
  readonly isEnding: (socket: Socket) => boolean;
}

export class QuickResponse implements RawResponse {
  readonly req: Pick<RawRequest, 'socket'>;
  headersSent = false;
  destroyed = false;
  readonly #socket: Socket;
  readonly #line: QuickLine;
  readonly #onClosed: (response: QuickResponse) => void;
  /** Listeners. Lists instead of an emitter, because an answer has two or three of them and is short-lived. */
  readonly #onFinish: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];
  #head = '';
  #isEnded = false;

  constructor(request: RawRequest, line: QuickLine, onClosed: (response: QuickResponse) => void) {
    this.req = request;
    this.#socket = request.socket;
    this.#line = line;
    this.#onClosed = onClosed;
  }

  /** Bytes that the client has not taken; the socket's, since a connection has one answer in progress at a time. */
  get writableLength(): number {
    return this.destroyed || !this.#isEnded ? 0 : this.#socket.writableLength;
  }

  once(event: 'close' | 'finish', listener: () => void): void {
    (event === 'close' ? this.#onClose : this.#onFinish).push(listener);
  }

  off(_event: 'close', listener: () => void): void {
    const at = this.#onClose.indexOf(listener);
    if (at !== -1) this.#onClose.splice(at, 1);
  }

  writeHead(status: number, message: string, headers: readonly string[], common: readonly string[] = []): void {
    let head = `HTTP/1.1 ${status} ${message}\r\n${commonLines(common)}`;
    for (let at = 0; at < headers.length; at += 2) head += lineOf(headers[at]!, headers[at + 1]!);
    this.#head = head;
    this.headersSent = true;
  }

  end(body: string | Buffer = '', isLatin1 = false): void {
    if (this.destroyed || this.#isEnded) return;
    this.#isEnded = true;
    const socket = this.#socket;
    // Both sides are closed, the client's and node's: 'close' follows.
    if (!socket.writable) return;
    const isLast = this.#line.isEnding(socket);
    const head = `${this.#head}Date: ${dateNow()}\r\n${isLast ? 'Connection: close\r\n' : keepAlive(this.#line)}\r\n`;
    const onWritten = (error?: Error | null) => {
      if (!error) this.#finish(isLast);
    };
    if (typeof body === 'string') socket.write(head + body, isLatin1 ? 'latin1' : 'utf8', onWritten);
    else this.#writeBytes(head, body, onWritten);
    if (socket.writableLength > 0) this.#watchReader();
  }

  /** Ends the connection, unless this answer is already sent: the next one may be in progress by then. */
  destroy(): void {
    if (!this.destroyed) this.#socket.destroy();
  }

  /** Notifies listeners that this answer is over; the connection calls it when it closes. */
  close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const listener of this.#onClose.splice(0)) listener();
    this.#onClosed(this);
  }

  #writeBytes(head: string, body: Buffer, onWritten: (error?: Error | null) => void): void {
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body, onWritten);
    this.#socket.uncork();
  }

  /** Applies the stall timeout while the answer is read; restores the longer keep-alive timeout afterwards. */
  #watchReader(): void {
    const socket = this.#socket;
    const { timeout } = socket;
    socket.setTimeout(this.#line.stallMs);
    this.once('finish', () => socket.setTimeout(timeout ?? this.#line.keepAliveMs));
  }

  #finish(isLast: boolean): void {
    if (this.destroyed) return;
    for (const listener of this.#onFinish) listener();
    if (isLast) this.#socket.destroySoon();
    this.close();
  }
}

/** Header lines common to all answers, cached by the list that a service uses for all of them. */
const COMMON = new WeakMap<readonly string[], string>();

function commonLines(headers: readonly string[]): string {
  const known = COMMON.get(headers);
  if (known !== undefined) return known;
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += lineOf(headers[at]!, headers[at + 1]!);
  COMMON.set(headers, lines);
  return lines;
}

function lineOf(name: string, value: string): string {
  validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

function keepAlive({ keepAliveMs }: QuickLine): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n`;
}

let datedSecond = 0;
let date = '';

function dateNow(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== datedSecond) {
    datedSecond = second;
    date = new Date(second * 1_000).toUTCString();
  }
  return date;
}
