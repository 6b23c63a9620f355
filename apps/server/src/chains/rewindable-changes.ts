// Changes that logs of the chain tell of, by subject, undone when their blocks leave the chain.

/** No reorganization goes deeper: the watcher of the logs gives up before. */
const DEPTH = 128;

export class RewindableChanges<Key, Change extends { readonly blockNumber: number }> {
  /** Oldest first: the newest holds, those before it come back when it leaves the chain. */
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

  /** How many changes of a subject are known of a block; all of them if a later block changed something. */
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

  /** What gives the same state when it is added again. */
  all(): Change[] {
    return [...this.#changes.values()].flat();
  }

  /** Blocks may be delivered again: what is known of the subject is not kept twice. */
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
