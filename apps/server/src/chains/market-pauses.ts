// Markets whose settlement is paused on a chain, as its logs say.
import type { MarketId, PauseChange, PauseNote } from '@presage/protocol';
import { RewindableChanges } from './rewindable-changes.ts';

export class MarketPauses {
  readonly #changes = new RewindableChanges<MarketId, PauseChange>((one, other) => one.isPaused === other.isPaused);

  apply(note: PauseNote): void {
    if (note.kind === 'rewound') this.#changes.rewind(note.toBlock);
    else this.#changes.add(note.marketId, note);
  }

  isPaused(marketId: MarketId): boolean {
    return this.#changes.newest(marketId)?.isPaused === true;
  }

  paused(): MarketId[] {
    return [...this.#changes.keys()].filter((marketId) => this.isPaused(marketId));
  }

  /** Number of known changes of a market in a block; infinite if a later block changed it. */
  countIn(marketId: MarketId, block: number): number {
    return this.#changes.countIn(marketId, block);
  }

  /** Whether a rewind to the block would change anything. */
  isAbove(block: number): boolean {
    return this.#changes.isAbove(block);
  }

  /** Notes that restore this state when they are applied. */
  notes(): PauseChange[] {
    return this.#changes.all();
  }
}
