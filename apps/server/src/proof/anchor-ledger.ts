// Ledger of one chain's anchors, from the records of its partition.
import { type JournalAnchored, LIMITS } from '@presage/protocol';

/** An anchor with its heads, from which anyone can recompute the hash. */
export type Anchor = Omit<JournalAnchored, 'type'>;

export class AnchorLedger {
  /** The newest anchors, oldest first. */
  readonly #anchors: Anchor[] = [];
  readonly #hashes = new Set<string>();
  #count = 0;

  list(): readonly Anchor[] {
    return this.#anchors;
  }

  /** Number of all anchors, including old ones that are no longer listed. */
  get count(): number {
    return this.#count;
  }

  /** Whether the anchor is known: listed, or older than all listed ones. */
  has({ hash, timeMs }: Anchor): boolean {
    const [oldest] = this.#anchors;
    const isDropped = oldest !== undefined && this.#count > this.#anchors.length && timeMs < oldest.timeMs;
    return isDropped || this.#hashes.has(hash);
  }

  /** Adds an anchor in order of time: one from a file of an earlier version may be older than known ones. */
  add({ hash, timeMs, heads }: Anchor): void {
    if (this.has({ hash, timeMs, heads })) return;
    const at = this.#anchors.findLastIndex((each) => each.timeMs <= timeMs) + 1;
    this.#anchors.splice(at, 0, { hash, timeMs, heads });
    this.#hashes.add(hash);
    this.#count++;
    if (this.#anchors.length > LIMITS.journalAnchors) this.#hashes.delete(this.#anchors.shift()?.hash ?? '');
  }

  /** Restores the count from a checkpoint, which holds only the listed anchors. */
  raiseCount(count: number): void {
    this.#count = Math.max(this.#count, count);
  }
}
