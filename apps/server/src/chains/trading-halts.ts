// Who has stopped all their orders on a chain, as its logs say.
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

  /** Undefined while the trader trades. */
  effectiveAfter(trader: Address): number | undefined {
    return this.#changes.newest(trader)?.effectiveAfter ?? undefined;
  }

  /** How many changes of a trader are known of a block; all of them if a later block changed something. */
  countIn(trader: Address, block: number): number {
    return this.#changes.countIn(trader, block);
  }

  /** Whether a rewind to the block would change anything. */
  isAbove(block: number): boolean {
    return this.#changes.isAbove(block);
  }

  /** What gives the same state when it is applied again. */
  notes(): HaltChange[] {
    return this.#changes.all();
  }
}
