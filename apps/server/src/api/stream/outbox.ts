// What waits to be read by one connection: bounded, and never at the cost of the others.
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
  /** Address of the client, as far as trusted proxies know it. */
  readonly address: string;
}

/** Something whose messages may be left out, because one fresh message later makes up for them. */
export interface Conflatable {
  /** Its waiting messages were left out. */
  fallBehind(): void;
  /** The reader can take something again: send what makes up for it. */
  catchUp(): void;
}

interface Waiting {
  readonly message: OutgoingMessage;
  readonly owner: Conflatable | undefined;
}

/** Bytes in the socket that the kernel has not taken yet. A fast reader never gets here; half of it keeps a slow one busy. */
const CONGESTED_BYTES = 256 * 1_024;
const RELIEVED_BYTES = 128 * 1_024;
/** Waiting deltas beyond it cost more than a fresh snapshot. */
const CONFLATE_BYTES = 1_024 * 1_024;

/** "Try again later": the reader was too slow. */
const TOO_SLOW = 1_013;
/** Time for a reader that is given up to take the rest and the code; what it leaves in the socket is released then. */
const FAREWELL_MS = 5_000;

export class Outbox implements Holder {
  readonly address: string;
  readonly maxBytes = LIMITS.unsentConnectionBytes;
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #unsent: HeldBytes;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** The last figure in the account. */
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
    // A reader that takes everything at once is never noted.
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

  /** Book snapshots are not worth queueing then: a fresher one will do. */
  get isCongested(): boolean {
    return this.#isCongested;
  }

  /** A message with an owner may be dropped in favour of a later `catchUp`. */
  send(message: OutgoingMessage, owner?: Conflatable): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#isCongested) this.#write(message);
    else this.#wait(message, owner);
  }

  /** Calls `catchUp` of the owner once everything before is on its way. */
  makeUpLater(owner: Conflatable): void {
    this.#behind.add(owner);
  }

  remove(owner: Conflatable): void {
    this.#behind.delete(owner);
    if (this.#conflatableBytes > 0) this.#leaveOut((waiting) => waiting.owner === owner);
  }

  /** The orderly end of whatever waits: nothing of it will be sent. */
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

  /** A client that still reads gets the code, others are disconnected. */
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
   * Past the WebSocket library, which would frame the message again for each reader. It writes whole frames in one go
   * while compression is off, so frames never mix.
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
