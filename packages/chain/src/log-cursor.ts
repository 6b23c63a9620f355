// Where a log watcher stands: the recent blocks it delivered, so that a reorg can be traced to its root.
import type { Hex } from '@presage/protocol';
import { isHash } from './record-checks.ts';

export interface CursorBlock {
  readonly number: number;
  readonly hash: Hex;
}

/** Plain JSON, oldest block first, without holes. Persist it together with what the block caused. */
export interface LogCursor {
  readonly v: 1;
  readonly blocks: readonly CursorBlock[];
}

export const EMPTY_CURSOR: LogCursor = { v: 1, blocks: [] };

class LogCursorInvalid extends Error {
  override readonly name = 'LogCursorInvalid';
}

export function checkLogCursor(value: unknown): LogCursor {
  const { v, blocks } = (value ?? {}) as Record<string, unknown>;
  if (v !== 1 || !Array.isArray(blocks)) throw new LogCursorInvalid('not a cursor of version 1');
  blocks.forEach((block: Partial<CursorBlock>, index) => {
    const expected = (blocks[0] as CursorBlock).number + index;
    if (!Number.isSafeInteger(block.number) || block.number !== expected)
      throw new LogCursorInvalid('blocks have a hole');
    if (!isHash(block.hash)) throw new LogCursorInvalid(`bad hash at ${expected}`);
  });
  return value as LogCursor;
}

export function extendCursor(cursor: LogCursor, block: CursorBlock, depth: number): LogCursor {
  const blocks = [...cursor.blocks, { number: block.number, hash: block.hash }];
  return { v: 1, blocks: blocks.slice(-depth) };
}

export function cutCursor(cursor: LogCursor, toBlock: number): LogCursor {
  return { v: 1, blocks: cursor.blocks.filter(({ number }) => number <= toBlock) };
}
