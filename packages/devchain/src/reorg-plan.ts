// Plans which transactions go into which block when the newest blocks are replaced; pure.
import { createHash } from 'node:crypto';
import type { StoredTransaction } from './chain-record.ts';
import type { LedgerBlock } from './ledger.ts';

export type ReorgMode = 'keep' | 'drop' | 'shuffle';

export type PlannedBlock = Pick<LedgerBlock, 'time' | 'transactions'>;

export interface ReorgRequest {
  /** Oldest first. */
  readonly removed: readonly LedgerBlock[];
  readonly mode: ReorgMode;
  readonly branch: number;
  readonly now: number;
}

/** Plans one block more than was removed: a branch wins by being longer. */
export function planReorg({ removed, mode, branch, now }: ReorgRequest): PlannedBlock[] {
  const contents = removed.map(({ transactions }) => (mode === 'drop' ? [] : transactions));
  const placed = mode === 'shuffle' ? shuffle(contents.flat(), removed.length, branch) : contents;
  const blocks = removed.map(({ time }, index) => ({ time, transactions: placed[index] ?? [] }));
  return [...blocks, { time: Math.max(now, removed.at(-1)?.time ?? 0), transactions: [] }];
}

/**
 * Reorders senders, determined by the branch alone. The order of each sender's transactions stays, because nonces
 * require it.
 */
function shuffle(
  transactions: readonly StoredTransaction[],
  blockCount: number,
  branch: number,
): StoredTransaction[][] {
  const bySender = new Map<string, StoredTransaction[]>();
  for (const transaction of transactions) {
    bySender.set(transaction.from, [...(bySender.get(transaction.from) ?? []), transaction]);
  }
  const rank = (from: string) => createHash('sha256').update(`${branch}:${from}`).digest('hex');
  const senders = [...bySender.keys()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const ordered = senders.flatMap((from) => bySender.get(from) ?? []);
  const perBlock = Math.max(1, Math.ceil(ordered.length / blockCount));
  return Array.from({ length: blockCount }, (_, index) => ordered.slice(index * perBlock, (index + 1) * perBlock));
}
