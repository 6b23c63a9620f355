// Which of several nodes may be believed: same chain, not far behind, and the same block at a height that all have.
import type { Hex } from '@presage/protocol';

export interface HeadAnswer {
  readonly chainId: number;
  readonly number: number;
}

/** `disagrees`: it has another block than most at the same height. */
export type NodeVerdict = 'good' | 'behind' | 'unreachable' | 'other-chain' | 'disagrees';

export interface HeadsAsked {
  /** Heads in the order of the nodes; undefined if a node did not answer. */
  readonly heads: readonly (HeadAnswer | undefined)[];
  /** The hash of the highest block that all nodes have which are not behind. */
  readonly hashes: readonly (Hex | undefined)[];
  readonly chainId: number;
  readonly maxLagBlocks: number;
}

export function judgeHeads({ heads, hashes, chainId, maxLagBlocks }: HeadsAsked): NodeVerdict[] {
  const best = Math.max(...heads.map((head) => (head?.chainId === chainId ? head.number : -1)));
  const agreed = findAgreed(hashes.filter((_, index) => heads[index]?.chainId === chainId));
  return heads.map((head, index) => {
    if (head === undefined) return 'unreachable';
    if (head.chainId !== chainId) return 'other-chain';
    if (best - head.number > maxLagBlocks) return 'behind';
    const hash = hashes[index];
    return hash === undefined || agreed === undefined || hash === agreed ? 'good' : 'disagrees';
  });
}

/** What most say; of as many on both sides, what the node that was named first says. */
function findAgreed(hashes: readonly (Hex | undefined)[]): Hex | undefined {
  const counts = new Map<Hex, number>();
  for (const hash of hashes) if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}
