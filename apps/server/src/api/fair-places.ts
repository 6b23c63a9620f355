// Places that clients share: when all are taken, the address that holds most of them makes room for one that holds fewer.
import { PresageError } from '@presage/protocol';
import { toRateKey } from './request-origin.ts';

export interface Placed {
  /** Key of the client's address: a whole /64 of IPv6. */
  readonly address: string;
}

export class FairPlaces<P extends Placed> {
  readonly #byAddress = new Map<string, Set<P>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  countOf(address: string): number {
    return this.#byAddress.get(address)?.size ?? 0;
  }

  add(place: P): void {
    const own = this.#byAddress.get(place.address) ?? new Set();
    this.#byAddress.set(place.address, own.add(place));
    this.#size++;
  }

  delete(place: P): void {
    const own = this.#byAddress.get(place.address);
    if (!own?.delete(place)) return;
    this.#size--;
    if (own.size === 0) this.#byAddress.delete(place.address);
  }

  all(): P[] {
    return [...this.#byAddress.values()].flatMap((own) => [...own]);
  }

  /** Places of the address with most of them, oldest first, if it has more than the newcomer will have; otherwise none. */
  crowdBefore(newcomer: string): readonly P[] {
    let crowd: ReadonlySet<P> = new Set();
    for (const each of this.#byAddress.values()) if (each.size > crowd.size) crowd = each;
    return crowd.size > this.countOf(newcomer) + 1 ? [...crowd] : [];
  }
}

interface ReaderPlace extends Placed {
  readonly giveUp: () => void;
}

/** Places of readers that stay, such as those of a stream. */
export class ReaderPlaces {
  readonly #most: number;
  readonly #places = new FairPlaces<ReaderPlace>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Returns how to leave the place. Throws 503 `overloaded` if all are taken and nobody holds many. */
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
