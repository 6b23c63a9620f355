// Caches wallets' holdings: read once, then updated by the fills that were sent, so that a busy wallet is not read before every batch.
import type { Hex } from '@presage/protocol';
import type { SharesOf, ShortfallReader } from '../wallets/shortfall-reader.ts';
import { type FillNeed, type Holdings, shareKey } from './shortfall.ts';

interface WalletHoldings {
  readonly readMs: number;
  money: bigint;
  readonly shares: Map<string, bigint>;
}

/** Lifetime of an entry: spans the batches of a burst, and short enough for the next burst to see money from elsewhere. */
const ASSUMED_MS = 2_000;

export class AssumedHoldings {
  readonly #reader: Pick<ShortfallReader, 'holdings'>;
  readonly #wallMs: () => number;
  readonly #wallets = new Map<Hex, WalletHoldings>();

  constructor(reader: Pick<ShortfallReader, 'holdings'>, wallMs: () => number) {
    this.#reader = reader;
    this.#wallMs = wallMs;
  }

  /** Holdings that the fills need, and the wallets whose holdings were assumed in part. */
  async of(fills: readonly FillNeed<Hex>[]): Promise<{ holdings: Holdings<Hex>; assumed: ReadonlySet<Hex> }> {
    this.#expire();
    const wanted = sharesIn(fills);
    const unknown = new Set(
      [...wanted].filter(([key, { wallet }]) => !this.#knows(wallet, key)).map(([, of]) => of.wallet),
    );
    await this.#read([...wanted].filter(([, { wallet }]) => unknown.has(wallet)));
    const money = new Map([...wanted.values()].map(({ wallet }) => [wallet, this.#wallets.get(wallet)!.money]));
    const shares = new Map([...wanted].map(([key, { wallet }]) => [key, this.#wallets.get(wallet)!.shares.get(key)!]));
    const assumed = new Set([...money.keys()].filter((wallet) => !unknown.has(wallet)));
    return { holdings: { money, shares }, assumed };
  }

  /** Stores the holdings that remain after the fills. */
  keep({ money, shares }: Holdings<Hex>): void {
    for (const [wallet, amount] of money) {
      const known = this.#wallets.get(wallet);
      if (known === undefined) continue;
      known.money = amount;
      for (const [key, of] of known.shares) known.shares.set(key, shares.get(key) ?? of);
    }
  }

  invalidate(wallet: Hex): void {
    this.#wallets.delete(wallet);
  }

  #knows(wallet: Hex, key: string): boolean {
    return this.#wallets.get(wallet)?.shares.has(key) === true;
  }

  /** Reads holdings. A wallet in an unknown market is read completely, since its money and shares must be from one moment. */
  async #read(wanted: readonly (readonly [string, SharesOf])[]): Promise<void> {
    const wallets = [...new Set(wanted.map(([, { wallet }]) => wallet))];
    const answer = await this.#reader.holdings(
      wallets,
      wanted.map(([, of]) => of),
    );
    const readMs = this.#wallMs();
    wallets.forEach((wallet, index) => {
      this.#wallets.set(wallet, { readMs, money: answer.money[index]!, shares: new Map() });
    });
    wanted.forEach(([key, { wallet }], index) => {
      this.#wallets.get(wallet)!.shares.set(key, answer.shares[index]!);
    });
  }

  #expire(): void {
    const before = this.#wallMs() - ASSUMED_MS;
    for (const [wallet, { readMs }] of this.#wallets) if (readMs < before) this.#wallets.delete(wallet);
  }
}

/** Shares needed by the fills, of both sides: a later fill may sell shares that the buyer of this one gets. */
function sharesIn(fills: readonly FillNeed<Hex>[]): Map<string, SharesOf> {
  const wanted = new Map<string, SharesOf>();
  for (const { buyer, seller, marketId, outcome } of fills) {
    for (const wallet of [buyer, seller]) {
      wanted.set(shareKey(wallet, marketId, outcome), { wallet, marketId, outcome });
    }
  }
  return wanted;
}
