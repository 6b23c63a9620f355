// Runs reads that may scan very many items in turns of a few milliseconds, one turn at a time however many reads there are.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PresageError } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { HttpRequest } from './http/request.ts';
import { ReaderPlaces } from './reader-places.ts';

/** Maximum of reads beyond their first turn. They share the time, so that more would only make all of them slower. */
const MOST = 16;
/** Length of a turn, and so the longest that orders wait for one. */
const TURN_MS = 2;

/** The client that asks; a read stops once it has left. */
export type Reader = Pick<HttpRequest, 'address'> & { readonly socket: Pick<HttpRequest['socket'], 'destroyed'> };

export class LongReads {
  readonly #places = new ReaderPlaces(MOST);
  readonly #turns = new SerialQueue();

  /** Runs a read, which asks for its next turn while it scans; settles as the read does. */
  async run<T>(reader: Reader, read: (turns: LongRead) => Promise<T>): Promise<T> {
    const { address, socket } = reader;
    const turns = new LongRead({
      takePlace: (giveUp) => this.#places.take(address, giveUp),
      nextTurn: () => this.#turns.run(() => nextTurn()),
      hasLeft: () => socket.destroyed,
    });
    try {
      return await read(turns);
    } finally {
      turns.end();
    }
  }
}

interface LongReadOptions {
  readonly takePlace: (giveUp: () => void) => () => void;
  readonly nextTurn: () => Promise<void>;
  readonly hasLeft: () => boolean;
}

export class LongRead {
  readonly #options: LongReadOptions;
  #turnEndsMs = performance.now() + TURN_MS;
  #leave: (() => void) | undefined;
  #isGivenUp = false;

  constructor(options: LongReadOptions) {
    this.#options = options;
  }

  /** Whether the turn is over and the read must ask for the next one. */
  get isTurnOver(): boolean {
    return performance.now() >= this.#turnEndsMs;
  }

  /** Resolves with the next turn; rejects with 503 `overloaded` if no place is free or the client has left. */
  async next(): Promise<void> {
    const { takePlace, nextTurn, hasLeft } = this.#options;
    this.#leave ??= takePlace(() => {
      this.#isGivenUp = true;
    });
    await nextTurn();
    if (this.#isGivenUp || hasLeft()) throw new PresageError('overloaded');
    this.#turnEndsMs = performance.now() + TURN_MS;
  }

  end(): void {
    this.#leave?.();
  }
}
