// Which transactions go into which block when the newest blocks are replaced; pure, so that it can be read and tested.
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

/** One block more than was removed: a branch wins by being longer. */
export function planReorg({ removed, mode, branch, now }: ReorgRequest): PlannedBlock[] {
  const contents = removed.map(({ transactions }) => (mode === 'drop' ? [] : transactions));
  const placed = mode === 'shuffle' ? shuffle(contents.flat(), removed.length, branch) : contents;
  const blocks = removed.map(({ time }, index) => ({ time, transactions: placed[index] ?? [] }));
  return [...blocks, { time: Math.max(now, removed.at(-1)?.time ?? 0), transactions: [] }];
}

/** Another order of senders, decided by the branch alone; each sender's own order stays, since nonces allow no other. */
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
