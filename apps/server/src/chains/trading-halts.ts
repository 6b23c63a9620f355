// Who has stopped all their orders on a chain, as its logs say, and how that is taken back when blocks leave the chain.
import type { Address, HaltChange, HaltNote } from '@presage/protocol';

/** No reorganization goes deeper: the watcher of the logs gives up before. */
const DEPTH = 128;

export class TradingHalts {
  /** Oldest first: the newest holds, those before it come back when it leaves the chain. */
  readonly #changes = new Map<Address, HaltChange[]>();

  apply(note: HaltNote): void {
    if (note.kind === 'rewound') this.#rewind(note.toBlock);
    else this.#change(note);
  }

  /** Undefined while the trader trades. */
  effectiveAfter(trader: Address): number | undefined {
    return this.#changes.get(trader)?.at(-1)?.effectiveAfter ?? undefined;
  }

  /** How many changes of a trader are known of a block; all of them if a later block changed something. */
  countIn(trader: Address, block: number): number {
    const changes = this.#changes.get(trader) ?? [];
    if ((changes.at(-1)?.blockNumber ?? -1) > block) return Number.POSITIVE_INFINITY;
    return changes.filter(({ blockNumber }) => blockNumber === block).length;
  }

  /** Whether a rewind to the block would change anything. */
  isAbove(block: number): boolean {
    for (const changes of this.#changes.values()) if (changes.at(-1)!.blockNumber > block) return true;
    return false;
  }

  /** What gives the same state when it is applied again. */
  notes(): HaltChange[] {
    return [...this.#changes.values()].flat();
  }

  /** Blocks may be delivered again: what is known of the trader is not kept twice. */
  #change(change: HaltChange): void {
    const { trader, blockNumber, effectiveAfter } = change;
    const previous = this.#changes.get(trader) ?? [];
    const newest = previous.at(-1);
    if (newest?.blockNumber === blockNumber && newest.effectiveAfter === effectiveAfter) return;
    const settled = previous.findLastIndex((each) => each.blockNumber <= blockNumber - DEPTH);
    this.#changes.set(trader, [...previous.slice(Math.max(settled, 0)), change]);
  }

  #rewind(toBlock: number): void {
    for (const [trader, changes] of this.#changes) {
      const left = changes.filter(({ blockNumber }) => blockNumber <= toBlock);
      if (left.length === 0) this.#changes.delete(trader);
      else if (left.length < changes.length) this.#changes.set(trader, left);
    }
  }
}
