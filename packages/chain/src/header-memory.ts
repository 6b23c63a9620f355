// Recently seen headers of one chain, by hash. A block's hash determines everything below it, so a known header is
// never fetched again.
import type { Hex } from '@presage/protocol';

export interface BlockHeader {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  readonly logsBloom: Hex;
}

/** A few times as deep as any reader looks back on a chain that is being followed. */
const MOST_HEADERS = 512;

/** Known headers below a block, and the first missing one. */
export interface KnownBelow {
  readonly found: ReadonlyMap<number, BlockHeader>;
  /** The highest block below whose header is missing, with its hash; undefined if none is. */
  readonly missing: { readonly number: number; readonly hash: Hex } | undefined;
}

export class HeaderMemory {
  readonly #byHash = new Map<Hex, BlockHeader>();
  /** Heights of known headers, on any branch. */
  readonly #heights = new Set<number>();

  add(header: BlockHeader): void {
    // Moved to the end, so that frequently used headers are evicted last.
    this.#byHash.delete(header.hash);
    this.#byHash.set(header.hash, header);
    this.#heights.add(header.number);
    if (this.#byHash.size <= MOST_HEADERS) return;
    const [oldest] = this.#byHash.values();
    if (oldest === undefined) return;
    this.#byHash.delete(oldest.hash);
    this.#heights.delete(oldest.number);
  }

  /** How many blocks from this height down were probably never seen; at least one, at most `most`. */
  unseenFrom(number: number, most: number): number {
    let count = 1;
    while (count < most && !this.#heights.has(number - count)) count++;
    return count;
  }

  /** Follows the parents of a block down to a height. */
  below(head: BlockHeader, lowest: number): KnownBelow {
    const found = new Map<number, BlockHeader>([[head.number, head]]);
    for (let block = head; block.number > lowest; ) {
      const parent = this.#byHash.get(block.parentHash);
      // A parent of any other height is false: it is not followed.
      if (parent?.number !== block.number - 1) {
        return { found, missing: { number: block.number - 1, hash: block.parentHash } };
      }
      found.set(parent.number, parent);
      block = parent;
    }
    return { found, missing: undefined };
  }
}
