// Knows which wallets have deposits that their fills should name: read from the chain before a batch, and cached briefly.
import { type Contracts, readContractsFeatures } from '@presage/chain';
import type { TradeView } from '@presage/engine';
import type { Address } from '@presage/protocol';
import type { Clock } from '../clock.ts';

/**
 * Time for which an answer is cached. A fill that names an emptied deposit uses the wallet; one that misses a new deposit fails with a code
 * of its own and is sent again.
 */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 10_000;

interface Known {
  readonly isDepositor: boolean;
  readonly untilMs: number;
}

type Parties = Pick<TradeView, 'buyer' | 'seller'>;

interface DepositorsOptions {
  readonly contracts: Contracts;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export class Depositors {
  readonly #options: DepositorsOptions;
  readonly #known = new Map<Address, Known>();

  constructor(options: DepositorsOptions) {
    this.#options = options;
  }

  /** Reads the deposits of the trades' wallets that are not cached. Rejects if the chain does not answer. */
  async learn(trades: readonly Parties[]): Promise<void> {
    const { contracts, clock } = this.#options;
    if (!(await readContractsFeatures(contracts)).hasDeposits) return;
    const nowMs = clock.nowMs();
    const wallets = new Set(trades.flatMap(({ buyer, seller }) => [buyer, seller]));
    const asked = [...wallets].filter((wallet) => (this.#known.get(wallet)?.untilMs ?? 0) <= nowMs);
    if (asked.length === 0) return;
    if (this.#known.size > MOST_REMEMBERED) this.#known.clear();
    const reads = asked.map((wallet) => contracts.settlement.reading('ledgerOf', [wallet]));
    const answers = await contracts.readTogether(reads, { block: 'pending' });
    for (const [index, wallet] of asked.entries()) {
      const [balance = 0n, hasOptedIn = false] = answers[index] ?? [];
      this.#known.set(wallet, { isDepositor: hasOptedIn || balance > 0n, untilMs: nowMs + REMEMBERED_MS });
    }
  }

  has(wallet: Address): boolean {
    return this.#known.get(wallet)?.isDepositor ?? false;
  }

  /** Drops the wallets of these trades from the cache, so that they are read again before their next batch. */
  forget(trades: readonly Parties[]): void {
    for (const { buyer, seller } of trades) {
      this.#known.delete(buyer);
      this.#known.delete(seller);
    }
  }
}
