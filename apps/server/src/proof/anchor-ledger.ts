// What was anchored on one chain, as the records of its partition say.
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

  /** Includes the oldest anchors, which are not listed any more. */
  get count(): number {
    return this.#count;
  }

  /** Whether the anchor is listed, or is older than all that are. */
  has({ hash, timeMs }: Anchor): boolean {
    const [oldest] = this.#anchors;
    const isDropped = oldest !== undefined && this.#count > this.#anchors.length && timeMs < oldest.timeMs;
    return isDropped || this.#hashes.has(hash);
  }

  /** An anchor from a file of an earlier version may be older than those that are known. */
  add({ hash, timeMs, heads }: Anchor): void {
    if (this.has({ hash, timeMs, heads })) return;
    const at = this.#anchors.findLastIndex((each) => each.timeMs <= timeMs) + 1;
    this.#anchors.splice(at, 0, { hash, timeMs, heads });
    this.#hashes.add(hash);
    this.#count++;
    if (this.#anchors.length > LIMITS.journalAnchors) this.#hashes.delete(this.#anchors.shift()?.hash ?? '');
  }

  /** A checkpoint holds the listed anchors and how many there were. */
  raiseCount(count: number): void {
    this.#count = Math.max(this.#count, count);
  }
}
