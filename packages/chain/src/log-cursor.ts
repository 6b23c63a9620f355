// Position of a log watcher: the recent blocks it delivered, so that a reorg can be traced to its root.
import type { CursorBlock, LogCursor, SavedLogCursor } from '@presage/protocol';

class LogCursorInvalid extends Error {
  override readonly name = 'LogCursorInvalid';
}

export function startCursor(fromBlock: number): LogCursor {
  return { v: 2, blocks: [], next: fromBlock };
}

/**
 * Converts a saved cursor and checks what its schema cannot express. A cursor of an earlier version resumes after its
 * newest block.
 */
export function checkLogCursor(cursor: SavedLogCursor, fromBlock: number): LogCursor {
  const { blocks } = cursor;
  const hasHole = blocks.some(({ number }, index) => number !== blocks[0]!.number + index);
  if (hasHole) throw new LogCursorInvalid('blocks have a hole');
  const afterBlocks = (blocks.at(-1)?.number ?? fromBlock - 1) + 1;
  if (cursor.v === 1) return { v: 2, blocks, next: afterBlocks };
  if (cursor.next > afterBlocks) throw new LogCursorInvalid(`bad next block ${cursor.next}`);
  return cursor;
}

/** A block that is delivered again is already in the cursor. */
export function extendCursor({ blocks }: LogCursor, block: CursorBlock, depth: number): LogCursor {
  const isKnown = block.number <= (blocks.at(-1)?.number ?? -1);
  const extended = isKnown ? blocks : [...blocks, { number: block.number, hash: block.hash }].slice(-depth);
  return { v: 2, blocks: extended, next: block.number + 1 };
}

export function cutCursor({ blocks, next }: LogCursor, toBlock: number): LogCursor {
  return { v: 2, blocks: blocks.filter(({ number }) => number <= toBlock), next: Math.min(next, toBlock + 1) };
}
