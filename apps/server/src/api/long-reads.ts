// Reads of a list that may look at very many things: they take turns of a few milliseconds, one of them at a time however many are asked for.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PresageError } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { HttpRequest } from './http/request.ts';
import { ReaderPlaces } from './reader-places.ts';

/** Reads that have not ended with their first turn. Each takes its part of the time, so that more would only make all of them slower. */
const MOST = 16;
/** Orders wait for so long at most, each time. */
const TURN_MS = 2;

/** Who asks: nobody reads on for a client that has left. */
export type Reader = Pick<HttpRequest, 'address'> & { readonly socket: Pick<HttpRequest['socket'], 'destroyed'> };

export class LongReads {
  readonly #places = new ReaderPlaces(MOST);
  readonly #turns = new SerialQueue();

  /** Settles as the read does, which asks for its next turn while it looks at things. */
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

  /** Whether others come first now. */
  get isTurnOver(): boolean {
    return performance.now() >= this.#turnEndsMs;
  }

  /** Resolves with the next turn; rejects with 503 `overloaded` if others have the places, or if nobody waits for the answer. */
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
