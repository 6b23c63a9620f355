// Traders who have stopped all their orders on a chain, as its logs say.
import type { Address, HaltChange, HaltNote } from '@presage/protocol';
import { RewindableChanges } from './rewindable-changes.ts';

export class TradingHalts {
  readonly #changes = new RewindableChanges<Address, HaltChange>(
    (one, other) => one.effectiveAfter === other.effectiveAfter,
  );

  apply(note: HaltNote): void {
    if (note.kind === 'rewound') this.#changes.rewind(note.toBlock);
    else this.#changes.add(note.trader, note);
  }

  /** Undefined if the trader has not halted. */
  effectiveAfter(trader: Address): number | undefined {
    return this.#changes.newest(trader)?.effectiveAfter ?? undefined;
  }

  /** Number of known changes of a trader in a block; infinite if a later block changed it. */
  countIn(trader: Address, block: number): number {
    return this.#changes.countIn(trader, block);
  }

  /** Whether a rewind to the block would change anything. */
  isAbove(block: number): boolean {
    return this.#changes.isAbove(block);
  }

  /** Notes that restore this state when they are applied. */
  notes(): HaltChange[] {
    return this.#changes.all();
  }
}
