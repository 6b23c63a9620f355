// What waits to be read by one connection: bounded, and never at the cost of the others.
import type { Socket } from 'node:net';
import { LIMITS } from '@presage/protocol';
import type { WebSocket } from 'ws';
import type { SharedBacklog } from '../shared-backlog.ts';
import type { OutgoingMessage } from './shared-message.ts';

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

export class Outbox {
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #shared: SharedBacklog;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #conflatableBytes = 0;
  #isCongested = false;
  #isCorked = false;
  readonly #behind = new Set<Conflatable>();
  readonly #onWritten = (): void => {
    if (this.#isCongested && this.#raw.writableLength <= RELIEVED_BYTES) this.#relieve();
  };
  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#raw.uncork();
  };

  constructor(socket: WebSocket, raw: Socket, shared: SharedBacklog) {
    this.#socket = socket;
    this.#raw = raw;
    this.#shared = shared;
  }

  /** Book snapshots are not worth queueing then: a fresher one will do. */
  get isCongested(): boolean {
    return this.#isCongested;
  }

  get backlogBytes(): number {
    return this.#waitingBytes + this.#raw.writableLength;
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
    this.#shared.note(this, 0);
  }

  giveUp(): void {
    this.cutOff('too slow: too much waits to be read by all connections together');
  }

  /** A client that still reads gets the code; the WebSocket library disconnects others after half a minute. */
  cutOff(reason: string): void {
    this.clear();
    this.#socket.close(TOO_SLOW, reason);
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
    if (this.backlogBytes > LIMITS.streamBacklogBytes) this.cutOff('too slow: more than 8 MiB wait to be read');
    else this.#shared.note(this, this.#waitingBytes);
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
    this.#shared.note(this, this.#waitingBytes);
  }

  #relieve(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#isCongested = false;
    let sent = 0;
    while (sent < this.#waiting.length && !this.#isCongested) this.#write(this.#takeAt(sent++));
    this.#waiting.splice(0, sent);
    this.#shared.note(this, this.#waitingBytes);
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
