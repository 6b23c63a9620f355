// A map keyed by position without building a key, which every trade would do ten times.
import type { Address } from '@presage/protocol';
import type { Pair } from './position-rows.ts';

export class PairMap<T> {
  readonly #markets = new Map<number, Map<Address, T>>();

  get({ wallet, marketSeq }: Pair): T | undefined {
    return this.find(wallet, marketSeq);
  }

  find(wallet: Address, marketSeq: number): T | undefined {
    return this.#markets.get(marketSeq)?.get(wallet);
  }

  has(pair: Pair): boolean {
    return this.get(pair) !== undefined;
  }

  set({ wallet, marketSeq }: Pair, value: T): void {
    const known = this.#markets.get(marketSeq);
    if (known === undefined) this.#markets.set(marketSeq, new Map([[wallet, value]]));
    else known.set(wallet, value);
  }

  values(): T[] {
    return [...this.#markets.values()].flatMap((market) => [...market.values()]);
  }
}
