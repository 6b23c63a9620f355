// Where a log watcher stands: the recent blocks it delivered, so that a reorg can be traced to its root.
import type { Hex } from '@presage/protocol';
import { isHash } from './record-checks.ts';

export interface CursorBlock {
  readonly number: number;
  readonly hash: Hex;
}

/** Plain JSON. Persist it before anything that a block of it causes: then every fact has the hash of its block on record. */
export interface LogCursor {
  readonly v: 2;
  /** The newest blocks of which anything was delivered, oldest first, without holes. */
  readonly blocks: readonly CursorBlock[];
  /** The next block to deliver; after a restart it may be one of `blocks`, or an older one, which is then delivered again. */
  readonly next: number;
}

/** Written by earlier versions after what its blocks caused: nothing is known of the blocks above. */
interface LogCursorV1 {
  readonly v: 1;
  readonly blocks: readonly CursorBlock[];
}

export type SavedLogCursor = LogCursor | LogCursorV1;

class LogCursorInvalid extends Error {
  override readonly name = 'LogCursorInvalid';
}

export function startCursor(fromBlock: number): LogCursor {
  return { v: 2, blocks: [], next: fromBlock };
}

/** A cursor of an earlier version goes on after its newest block. */
export function checkLogCursor(value: unknown, fromBlock: number): LogCursor {
  const { v, blocks, next } = (value ?? {}) as Record<string, unknown>;
  if ((v !== 1 && v !== 2) || !Array.isArray(blocks)) throw new LogCursorInvalid('not a cursor of version 1 or 2');
  blocks.forEach((block: Partial<CursorBlock>, index) => {
    const expected = (blocks[0] as CursorBlock).number + index;
    if (!Number.isSafeInteger(block.number) || block.number !== expected)
      throw new LogCursorInvalid('blocks have a hole');
    if (!isHash(block.hash)) throw new LogCursorInvalid(`bad hash at ${expected}`);
  });
  const afterBlocks = ((blocks as CursorBlock[]).at(-1)?.number ?? fromBlock - 1) + 1;
  if (v === 1) return { v: 2, blocks, next: afterBlocks };
  if (!Number.isSafeInteger(next) || Number(next) > afterBlocks) throw new LogCursorInvalid(`bad next block ${next}`);
  return { v, blocks, next: Number(next) };
}

/** A block that is delivered again is remembered already. */
export function extendCursor({ blocks }: LogCursor, block: CursorBlock, depth: number): LogCursor {
  const isKnown = block.number <= (blocks.at(-1)?.number ?? -1);
  const extended = isKnown ? blocks : [...blocks, { number: block.number, hash: block.hash }].slice(-depth);
  return { v: 2, blocks: extended, next: block.number + 1 };
}

export function cutCursor({ blocks, next }: LogCursor, toBlock: number): LogCursor {
  return { v: 2, blocks: blocks.filter(({ number }) => number <= toBlock), next: Math.min(next, toBlock + 1) };
}
