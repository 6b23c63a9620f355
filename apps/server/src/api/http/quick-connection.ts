// Reads plain requests of a node:http connection without its parser: sees each chunk first and leaves all others to node's parser.
import type { Socket } from 'node:net';
import { type QuickRequest, readQuickRequest } from './quick-request.ts';
import { type QuickLine, QuickResponse } from './quick-response.ts';

export interface QuickReader extends QuickLine {
  /** Whether the request can be answered without node:http; nothing of it has taken effect yet. */
  readonly isQuick: (request: QuickRequest) => boolean;
  readonly onRequest: (request: QuickRequest, response: QuickResponse) => void;
  /** Called when the answer is sent or its connection is closed. */
  readonly onAnswered: (socket: Socket) => void;
}

/**
 * Node's parser stays in charge of the connection, its timeouts and its end. It gets the first request, so that it regards the
 * connection as waiting for the next request, and it is at the start of a message whenever a request is read here. From the first
 * chunk that is not exactly one plain request, node's parser reads everything for good.
 */
export class QuickConnection {
  readonly #socket: Socket;
  readonly #reader: QuickReader;
  readonly #parse: Listener;
  readonly #onTimeout: Listener;
  #answer: QuickResponse | undefined;
  #isFirst = true;
  /** A chunk that came while an answer was in progress. */
  #kept: Buffer | undefined;

  /** Watches a connection; does nothing if node:http is not its only reader. */
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
    // Begins no request after the last answer: its client would never learn the result.
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

  /** Keeps a chunk and pauses the socket, so that the sender waits. */
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

  /** On a timeout: keeps waiting for a slow answer, but cuts off a reader that takes nothing of it. */
  readonly #onSilence = (): void => {
    if (this.#answer === undefined) this.#onTimeout.call(this.#socket);
    else if (this.#answer.writableLength > 0) this.#socket.destroy();
    else this.#socket.setTimeout(this.#socket.timeout ?? this.#reader.keepAliveMs);
  };

  readonly #onClose = (): void => this.#answer?.close();
}

type Listener = (this: Socket, chunk?: Buffer) => void;
