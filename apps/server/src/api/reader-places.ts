// Limits long-lived readers, such as those of a stream: if all places are taken, the address that holds most of them loses one.
import { PresageError } from '@presage/protocol';
import { FairPlaces, type Placed } from '@presage/runtime';
import { toRateKey } from './request-origin.ts';

interface ReaderPlace extends Placed {
  readonly giveUp: () => void;
}

export class ReaderPlaces {
  readonly #most: number;
  readonly #places = new FairPlaces<ReaderPlace>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Takes a place and returns the function that leaves it. Throws 503 `overloaded` if all are taken and no address holds many. */
  take(address: string, giveUp: () => void): () => void {
    const place = { address: toRateKey(address), giveUp };
    if (this.#places.size >= this.#most) this.#free(place.address);
    this.#places.add(place);
    return () => this.#places.delete(place);
  }

  #free(newcomer: string): void {
    const [oldest] = this.#places.crowdBefore(newcomer);
    if (oldest === undefined) throw new PresageError('overloaded');
    this.#places.delete(oldest);
    oldest.giveUp();
  }
}
