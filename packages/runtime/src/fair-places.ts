// Shared places: when all are taken, the address that holds most of them makes room for one that holds fewer.

export interface Placed {
  /** Key of the holder's address. */
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
