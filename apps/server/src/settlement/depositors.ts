// Which wallets have deposits that their fills should name: asked of the chain before a batch, and remembered for a while.
import { readContractsFeatures } from '@presage/chain';
import type { Address } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { PlannedFill } from './ports.ts';

/** A fill that names a deposit which is gone uses the wallet; one that misses a new deposit is answered with a code of its own, and sent again. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 10_000;

interface Known {
  readonly isDepositor: boolean;
  readonly untilMs: number;
}

export class Depositors {
  readonly #context: Pick<ChainContext, 'contracts' | 'clock'>;
  readonly #known = new Map<Address, Known>();

  constructor(context: Pick<ChainContext, 'contracts' | 'clock'>) {
    this.#context = context;
  }

  /** Rejects when the chain cannot be asked. */
  async learn(fills: readonly PlannedFill[]): Promise<void> {
    const { contracts, clock } = this.#context;
    if (!(await readContractsFeatures(contracts)).hasDeposits) return;
    const nowMs = clock.nowMs();
    const wallets = new Set(fills.flatMap(({ trade: { buyer, seller } }) => [buyer, seller]));
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

  /** They are asked about again before their next batch. */
  forget(fills: readonly PlannedFill[]): void {
    for (const { trade } of fills) {
      this.#known.delete(trade.buyer);
      this.#known.delete(trade.seller);
    }
  }
}
