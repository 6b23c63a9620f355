// Queue of messages for one connection: bounded, so that a slow reader never costs the others.
import type { Socket } from 'node:net';
import { LIMITS } from '@presage/protocol';
import type { WebSocket } from 'ws';
import type { HeldBytes, Holder } from '../held-bytes.ts';
import { toRateKey } from '../request-origin.ts';
import type { OutgoingMessage } from './shared-message.ts';

export interface StreamConnection {
  readonly socket: WebSocket;
  /** The TCP connection under the WebSocket. */
  readonly raw: Socket;
  /** Client's address, as named by trusted proxies. */
  readonly address: string;
}

/** A sender whose messages may be dropped, because one fresh message later replaces them. */
export interface Conflatable {
  /** Called when its waiting messages were dropped. */
  fallBehind(): void;
  /** Called when the reader can take messages again: sends the replacement. */
  catchUp(): void;
}

interface Waiting {
  readonly message: OutgoingMessage;
  readonly owner: Conflatable | undefined;
}

/** Bytes not yet taken by the kernel at which a connection is congested. A fast reader never reaches it; half keeps a slow one busy. */
const CONGESTED_BYTES = 256 * 1_024;
const RELIEVED_BYTES = 128 * 1_024;
/** Waiting deltas beyond this cost more than a fresh snapshot. */
const CONFLATE_BYTES = 1_024 * 1_024;

/** "Try again later": the reader was too slow. */
const TOO_SLOW = 1_013;
/** Time for a closed reader to take the rest and the close code; the socket's buffer is then released. */
const FAREWELL_MS = 5_000;

export class Outbox implements Holder {
  readonly address: string;
  readonly maxBytes = LIMITS.unsentConnectionBytes;
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #unsent: HeldBytes;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Bytes last noted in the account. */
  #notedBytes = 0;
  #conflatableBytes = 0;
  #isCongested = false;
  #isCorked = false;
  readonly #behind = new Set<Conflatable>();
  readonly #onWritten = (): void => {
    if (this.#isCongested && this.#raw.writableLength <= RELIEVED_BYTES) this.#relieve();
    if (this.#notedBytes > 0) this.#note();
  };
  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#raw.uncork();
    // Not noted for a reader that takes everything at once.
    if (this.#raw.writableLength > 0) this.#note();
  };

  constructor({ socket, raw, address }: StreamConnection, unsent: HeldBytes) {
    this.#socket = socket;
    this.#raw = raw;
    this.address = toRateKey(address);
    this.#unsent = unsent;
  }

  get connection(): Socket {
    return this.#raw;
  }

  /** Whether the reader lags. Book snapshots are then not worth queueing, since a fresher one will follow. */
  get isCongested(): boolean {
    return this.#isCongested;
  }

  /** Sends or queues a message. One with an owner may be dropped in favour of a later `catchUp`. */
  send(message: OutgoingMessage, owner?: Conflatable): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#isCongested) this.#write(message);
    else this.#wait(message, owner);
  }

  /** Calls the owner's `catchUp` once everything before it is sent. */
  makeUpLater(owner: Conflatable): void {
    this.#behind.add(owner);
  }

  remove(owner: Conflatable): void {
    this.#behind.delete(owner);
    if (this.#conflatableBytes > 0) this.#leaveOut((waiting) => waiting.owner === owner);
  }

  /** Drops all waiting messages unsent. */
  clear(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#conflatableBytes = 0;
    this.#behind.clear();
    this.#notedBytes = 0;
    this.#unsent.note(this, 0);
  }

  giveUp(reason: string): void {
    this.close(TOO_SLOW, reason);
  }

  /** Closes the connection: a client that still reads gets the code, others are disconnected. */
  close(code: number, reason: string): void {
    this.clear();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), FAREWELL_MS).unref();
  }

  #note(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#notedBytes = this.#waitingBytes + this.#raw.writableLength;
    this.#unsent.note(this, this.#notedBytes);
  }

  /**
   * Writes to the socket directly, since the WebSocket library would frame the message again for each reader. While compression is
   * off, the library writes whole frames at once, so frames never mix.
   */
  #write({ frame }: OutgoingMessage): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#raw.cork();
      process.nextTick(this.#uncork);
    }
    for (const [index, piece] of frame.entries()) {
      if (index < frame.length - 1) this.#raw.write(piece);
      else this.#raw.write(piece, this.#onWritten);
    }
    if (this.#raw.writableLength >= CONGESTED_BYTES) this.#isCongested = true;
  }

  #wait(message: OutgoingMessage, owner: Conflatable | undefined): void {
    const { bytes } = message;
    this.#waiting.push({ message, owner });
    this.#waitingBytes += bytes;
    if (owner !== undefined) this.#conflatableBytes += bytes;
    if (this.#waitingBytes > CONFLATE_BYTES && this.#conflatableBytes > 0) this.#conflate();
    this.#note();
  }

  #conflate(): void {
    const owners = new Set(this.#waiting.flatMap(({ owner }) => owner ?? []));
    this.#leaveOut(({ owner }) => owner !== undefined);
    for (const owner of owners) owner.fallBehind();
  }

  #leaveOut(isLeftOut: (waiting: Waiting) => boolean): void {
    const kept = this.#waiting.filter((waiting) => !isLeftOut(waiting));
    this.#waiting = kept;
    this.#waitingBytes = sumBytes(kept);
    this.#conflatableBytes = sumBytes(kept.filter(({ owner }) => owner !== undefined));
    this.#note();
  }

  #relieve(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#isCongested = false;
    let sent = 0;
    while (sent < this.#waiting.length && !this.#isCongested) this.#write(this.#takeAt(sent++));
    this.#waiting.splice(0, sent);
    this.#note();
    if (this.#isCongested) return;
    for (const owner of this.#behind) {
      this.#behind.delete(owner);
      owner.catchUp();
      if (this.#isCongested) return;
    }
  }

  #takeAt(index: number): OutgoingMessage {
    const { message, owner } = this.#waiting[index]!;
    this.#waitingBytes -= message.bytes;
    if (owner !== undefined) this.#conflatableBytes -= message.bytes;
    return message;
  }
}

function sumBytes(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { message }) => sum + message.bytes, 0);
}
