// Changes read from the chain's logs, by subject; undone when their blocks leave the chain.

/** Deepest possible rewind: the log watcher gives up on a deeper reorganization. */
const DEPTH = 128;

export class RewindableChanges<Key, Change extends { readonly blockNumber: number }> {
  /** Changes of each subject, oldest first. The newest is in effect; when it leaves the chain, the one before it is again. */
  readonly #changes = new Map<Key, readonly Change[]>();
  readonly #isSame: (one: Change, other: Change) => boolean;

  constructor(isSame: (one: Change, other: Change) => boolean) {
    this.#isSame = isSame;
  }

  newest(key: Key): Change | undefined {
    return this.#changes.get(key)?.at(-1);
  }

  keys(): Iterable<Key> {
    return this.#changes.keys();
  }

  /** Number of known changes of a subject in a block; infinite if a later block changed it. */
  countIn(key: Key, block: number): number {
    const changes = this.#changes.get(key) ?? [];
    if ((changes.at(-1)?.blockNumber ?? -1) > block) return Number.POSITIVE_INFINITY;
    return changes.filter(({ blockNumber }) => blockNumber === block).length;
  }

  /** Whether a rewind to the block would change anything. */
  isAbove(block: number): boolean {
    for (const changes of this.#changes.values()) if (changes.at(-1)!.blockNumber > block) return true;
    return false;
  }

  /** Changes that restore this state when they are added. */
  all(): Change[] {
    return [...this.#changes.values()].flat();
  }

  /** Ignores a change that is known already, since blocks may be delivered again. */
  add(key: Key, change: Change): void {
    const previous = this.#changes.get(key) ?? [];
    const newest = previous.at(-1);
    if (newest !== undefined && newest.blockNumber === change.blockNumber && this.#isSame(newest, change)) return;
    const settled = previous.findLastIndex(({ blockNumber }) => blockNumber <= change.blockNumber - DEPTH);
    this.#changes.set(key, [...previous.slice(Math.max(settled, 0)), change]);
  }

  rewind(toBlock: number): void {
    for (const [key, changes] of this.#changes) {
      const left = changes.filter(({ blockNumber }) => blockNumber <= toBlock);
      if (left.length === 0) this.#changes.delete(key);
      else if (left.length < changes.length) this.#changes.set(key, left);
    }
  }
}
