// Chooses which planned fills make the next batch, and whether it is simulated before it is sent or waits for more.
import type { ChainConfig } from '../config.ts';
import { chooseFills } from './batch-plan.ts';
import type { PlannedFill } from './ports.ts';
import { ProvenWallets } from './proven-wallets.ts';

/** With this many batches in flight, a batch that is not full waits for more fills, but no longer than `GATHER_MS`. */
const GATHERING_BEHIND = 2;
const GATHER_MS = 250;

export class BatchChooser {
  readonly proven: ProvenWallets;
  readonly #isEachSimulated: boolean;
  /** The last batch left out unproven fills. */
  #isRestDue = false;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  constructor(simulation: ChainConfig['simulation'], nowSeconds: () => number) {
    this.proven = new ProvenWallets(nowSeconds);
    this.#isEachSimulated = simulation !== 'unproven';
  }

  /** If most fills are proven, they are sent alone and unsimulated; the next batch then includes the others in any case. */
  choose(fills: readonly PlannedFill[]) {
    if (this.#isEachSimulated) return { planned: fills, isProven: false };
    const quick = chooseFills(fills, (fill) => this.proven.covers(fill));
    const isWhole = quick.length === fills.length;
    const isProven = isWhole || (2 * quick.length > fills.length && !this.#isRestDue);
    return { planned: isProven ? quick : fills, isProven };
  }

  /**
   * How long a proven batch waits for more fills, if at all. A simulation takes about as long as a block, in which batches fill up; without
   * one they would be many and small.
   */
  gatheringMs({ isFull, unmined }: { isFull: boolean; unmined: number }): number {
    if (isFull || unmined < GATHERING_BEHIND) return 0;
    return Math.max(0, this.#lastSentMs + GATHER_MS - Date.now());
  }

  onSent(isSimulated: boolean): void {
    this.#lastSentMs = Date.now();
    this.#isRestDue = !isSimulated;
  }
}
