// The headers of one chain that were seen lately, by hash: a block's hash settles everything below it, so nobody need ask again.
import type { Hex } from '@presage/protocol';

export interface BlockHeader {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  readonly logsBloom: Hex;
}

/** A few times as deep as anybody looks back on a chain that is followed. */
const MOST_HEADERS = 512;

/** What is known below a block: the headers that were asked for, and where the knowledge ends. */
export interface KnownBelow {
  readonly found: ReadonlyMap<number, BlockHeader>;
  /** The highest block below whose header is missing, and its hash; undefined if nothing is. */
  readonly missing: { readonly number: number; readonly hash: Hex } | undefined;
}

export class HeaderMemory {
  readonly #byHash = new Map<Hex, BlockHeader>();
  /** Heights of which a header is known, of whichever branch. */
  readonly #heights = new Set<number>();

  add(header: BlockHeader): void {
    // Again at the end: what is asked for often must not be forgotten first.
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
      // A parent of another height is a lie of the node's: it is not followed.
      if (parent?.number !== block.number - 1) {
        return { found, missing: { number: block.number - 1, hash: block.parentHash } };
      }
      found.set(parent.number, parent);
      block = parent;
    }
    return { found, missing: undefined };
  }
}
