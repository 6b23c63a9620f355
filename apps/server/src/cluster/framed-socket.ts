// Socket of whole messages: four bytes of length, then the message.
import type { Socket } from 'node:net';

const LENGTH_BYTES = 4;

export interface FramedSocketOptions {
  readonly socket: Socket;
  /** A connection that announces a longer message is closed. */
  readonly maxBytes: number;
  /** Throwing closes the connection. */
  readonly onMessage: (bytes: Buffer) => void;
  /** Called before the connection is closed because of what the other side sent. */
  readonly onBroken?: (error: unknown) => void;
  /** Called once, whichever side ended it. */
  readonly onClosed: () => void;
}

export class FramedSocket {
  readonly #socket: Socket;
  readonly #options: FramedSocketOptions;
  #chunks: Buffer[] = [];
  #buffered = 0;
  /** Messages of this turn of the event loop, each with its length. */
  #sending: Buffer[] = [];
  #maxBytes: number;

  constructor(options: FramedSocketOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#maxBytes = options.maxBytes;
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    // 'close' always follows.
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', () => options.onClosed());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /** Sets the longest accepted message; a connection without a proof may send little. */
  allow(maxBytes: number): void {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that the kernel has not taken yet, because the other side reads too slowly. */
  get backlogBytes(): number {
    return this.#socket.writableLength;
  }

  /** Copies the message. Messages of one turn of the event loop leave in one write. */
  send(message: Uint8Array): void {
    if (!this.isOpen) return;
    const framed = Buffer.allocUnsafe(LENGTH_BYTES + message.length);
    framed.writeUInt32BE(message.length);
    framed.set(message, LENGTH_BYTES);
    if (this.#sending.length === 0) setImmediate(() => this.#flush());
    this.#sending.push(framed);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    try {
      for (let message = this.#next(); message !== undefined; message = this.#next()) this.#options.onMessage(message);
    } catch (error) {
      this.#options.onBroken?.(error);
      this.#socket.destroy();
    }
  }

  #flush(): void {
    const sending = this.#sending;
    this.#sending = [];
    if (this.isOpen) this.#socket.write(sending.length === 1 ? sending[0]! : Buffer.concat(sending));
  }

  #next(): Buffer | undefined {
    if (this.#socket.destroyed || this.#buffered < LENGTH_BYTES) return undefined;
    const first = this.#gather(LENGTH_BYTES);
    const length = first.readUInt32BE();
    if (length > this.#maxBytes) throw new RangeError(`A message of ${length} bytes is too long.`);
    if (this.#buffered < LENGTH_BYTES + length) return undefined;
    const whole = this.#gather(LENGTH_BYTES + length);
    this.#buffered -= LENGTH_BYTES + length;
    this.#chunks[0] = whole.subarray(LENGTH_BYTES + length);
    if (this.#chunks[0].length === 0) this.#chunks.shift();
    return whole.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  }

  /** Returns the first chunk, extended to at least `bytes`. Chunks of a large message are joined once, when all of it has arrived. */
  #gather(bytes: number): Buffer {
    const first = this.#chunks[0]!;
    if (first.length >= bytes) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
