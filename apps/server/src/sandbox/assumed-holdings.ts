// What wallets hold, read once and then carried forward by the fills that were sent: a busy wallet is not read before every batch.
import type { Hex, MarketId, Outcome } from '@presage/protocol';
import type { SharesOf, ShortfallReader } from '../wallets/shortfall-reader.ts';
import { type FillNeed, type Holdings, shareKey } from './shortfall.ts';

export interface AssumedHoldingsOptions {
  readonly reader: Pick<ShortfallReader, 'holdings'>;
  readonly wallMs: () => number;
}

interface WalletHoldings {
  readonly readMs: number;
  money: bigint;
  readonly shares: Map<string, bigint>;
}

/** Long enough to span the batches of a burst, short enough that money from elsewhere is seen by the next one. */
const ASSUMED_MS = 2_000;

export class AssumedHoldings {
  readonly #options: AssumedHoldingsOptions;
  readonly #wallets = new Map<string, WalletHoldings>();

  constructor(options: AssumedHoldingsOptions) {
    this.#options = options;
  }

  /** What the fills need, and the wallets of which something was assumed. */
  async of(fills: readonly FillNeed[]): Promise<{ holdings: Holdings; assumed: ReadonlySet<string> }> {
    this.#expire();
    const wanted = sharesIn(fills);
    const unknown = new Set(
      [...wanted].filter(([key, { wallet }]) => !this.#knows(wallet, key)).map(([, of]) => of.wallet),
    );
    await this.#read([...wanted].filter(([, { wallet }]) => unknown.has(wallet)));
    const money = new Map(
      [...wanted.values()].map(({ wallet }) => [wallet as string, this.#wallets.get(wallet)!.money]),
    );
    const shares = new Map([...wanted].map(([key, { wallet }]) => [key, this.#wallets.get(wallet)!.shares.get(key)!]));
    const assumed = new Set([...money.keys()].filter((wallet) => !unknown.has(wallet as Hex)));
    return { holdings: { money, shares }, assumed };
  }

  /** As the fills leave them. */
  keep({ money, shares }: Holdings): void {
    for (const [wallet, amount] of money) {
      const known = this.#wallets.get(wallet);
      if (known === undefined) continue;
      known.money = amount;
      for (const [key, of] of known.shares) known.shares.set(key, shares.get(key) ?? of);
    }
  }

  invalidate(wallet: string): void {
    this.#wallets.delete(wallet);
  }

  #knows(wallet: string, key: string): boolean {
    return this.#wallets.get(wallet)?.shares.has(key) === true;
  }

  /** A wallet in an unknown market is read whole: its money and its shares must be of one moment. */
  async #read(wanted: readonly (readonly [string, SharesOf])[]): Promise<void> {
    const wallets = [...new Set(wanted.map(([, { wallet }]) => wallet))];
    const answer = await this.#options.reader.holdings(
      wallets,
      wanted.map(([, of]) => of),
    );
    const readMs = this.#options.wallMs();
    wallets.forEach((wallet, index) => {
      this.#wallets.set(wallet, { readMs, money: answer.money[index]!, shares: new Map() });
    });
    wanted.forEach(([key, { wallet }], index) => {
      this.#wallets.get(wallet)!.shares.set(key, answer.shares[index]!);
    });
  }

  #expire(): void {
    const before = this.#options.wallMs() - ASSUMED_MS;
    for (const [wallet, { readMs }] of this.#wallets) if (readMs < before) this.#wallets.delete(wallet);
  }
}

/** Of both sides: the buyer's too, for what is bought here may be sold by a later fill. */
function sharesIn(fills: readonly FillNeed[]): Map<string, SharesOf> {
  const wanted = new Map<string, SharesOf>();
  for (const { buyer, seller, marketId, outcome } of fills) {
    for (const wallet of [buyer, seller] as Hex[]) {
      const of = { wallet, marketId: marketId as MarketId, outcome: outcome as Outcome };
      wanted.set(shareKey(wallet, marketId, outcome), of);
    }
  }
  return wanted;
}
