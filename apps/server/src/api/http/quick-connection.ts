// A connection of node:http whose plain requests are read without it: each piece is read here first, and node's parser gets every other one.
import type { Socket } from 'node:net';
import { type QuickRequest, readQuickRequest } from './quick-request.ts';
import { type QuickLine, QuickResponse } from './quick-response.ts';

export interface QuickReader extends QuickLine {
  /** Whether the request is one of those that are answered without node:http; nothing of it has taken effect yet. */
  readonly isQuick: (request: QuickRequest) => boolean;
  readonly onRequest: (request: QuickRequest, response: QuickResponse) => void;
  /** Called when the answer is sent, or when its connection is closed. */
  readonly onAnswered: (socket: Socket) => void;
}

/**
 * Node's parser stays in charge of the connection, of its times and of its end. It gets the first request, so that it knows the
 * connection as one that waits for its next request, and it is at the beginning of a message whenever a request is read here: from
 * the first piece that is not exactly one plain request, it reads everything for good.
 */
export class QuickConnection {
  readonly #socket: Socket;
  readonly #reader: QuickReader;
  readonly #parse: Listener;
  readonly #onTimeout: Listener;
  #answer: QuickResponse | undefined;
  #isFirst = true;
  /** Came while an answer was under way. */
  #kept: Buffer | undefined;

  /** Does nothing if the connection is read by something else than node:http. */
  static watch(socket: Socket, reader: QuickReader): void {
    const [parse, ...more] = socket.listeners('data');
    const [onTimeout, ...others] = socket.listeners('timeout');
    if (parse === undefined || onTimeout === undefined || more.length + others.length > 0) return;
    new QuickConnection(socket, reader, [parse as Listener, onTimeout as Listener]);
  }

  private constructor(socket: Socket, reader: QuickReader, [parse, onTimeout]: readonly [Listener, Listener]) {
    this.#socket = socket;
    this.#reader = reader;
    this.#parse = parse;
    this.#onTimeout = onTimeout;
    socket.on('data', this.#read).off('data', parse);
    socket.on('timeout', this.#onSilence).off('timeout', onTimeout);
    socket.once('close', this.#onClose);
  }

  #release(): void {
    const socket = this.#socket;
    socket.off('data', this.#read).off('timeout', this.#onSilence).off('close', this.#onClose);
  }

  readonly #read = (chunk: Buffer): void => {
    if (this.#answer !== undefined) this.#keep(chunk);
    // Behind the last answer nothing is begun: its client would not learn what came of it.
    else if (this.#socket.writable) this.#readRequest(chunk);
  };

  #readRequest(chunk: Buffer): void {
    const request = readQuickRequest(chunk, this.#socket);
    if (request === undefined) this.#leaveToNode(chunk);
    else if (this.#isFirst || !this.#reader.isQuick(request)) {
      this.#isFirst = false;
      this.#parse.call(this.#socket, chunk);
    } else this.#begin(request);
  }

  #begin(request: QuickRequest): void {
    const answer = new QuickResponse(request, this.#reader, this.#onAnswered);
    this.#answer = answer;
    this.#reader.onRequest(request, answer);
  }

  readonly #onAnswered = (): void => {
    this.#answer = undefined;
    this.#reader.onAnswered(this.#socket);
    if (this.#kept !== undefined && !this.#socket.destroyed) this.#readKept(this.#kept);
  };

  /** The socket is read no further: its sender waits. */
  #keep(chunk: Buffer): void {
    this.#kept = chunk;
    this.#socket.pause();
  }

  #readKept(chunk: Buffer): void {
    this.#kept = undefined;
    this.#socket.resume();
    this.#read(chunk);
  }

  #leaveToNode(chunk: Buffer): void {
    this.#release();
    this.#socket.on('timeout', this.#onTimeout).on('data', this.#parse);
    this.#parse.call(this.#socket, chunk);
  }

  /** An answer may take its time; a reader that takes nothing of it may not. */
  readonly #onSilence = (): void => {
    if (this.#answer === undefined) this.#onTimeout.call(this.#socket);
    else if (this.#answer.writableLength > 0) this.#socket.destroy();
    else this.#socket.setTimeout(this.#socket.timeout ?? this.#reader.keepAliveMs);
  };

  readonly #onClose = (): void => this.#answer?.close();
}

type Listener = (this: Socket, chunk?: Buffer) => void;
