// Creates a file that is slow to make and always the same in one process, while the others wait for it.
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isErrorCode, isProcessRunning } from '@presage/runtime/node';

const LOOK_EVERY_MS = 100;
/** A process that holds the lock for longer is stuck, or its pid was reused. */
const WAIT_AT_MOST_MS = 300_000;

/** Returns the file's contents. Synchronous, because it is needed while modules are imported. */
export function makeOnce(file: string, make: () => string): string {
  const draft = `${file}.${process.pid}`;
  const turn = `${file}.lock`;
  for (let waitedMs = 0; !existsSync(file); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs < WAIT_AT_MOST_MS && !takeTurn(turn, draft)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
      continue;
    }
    try {
      writeFileSync(draft, make());
      // The rename is atomic.
      renameSync(draft, file);
    } finally {
      rmSync(turn, { force: true });
    }
  }
  return readFileSync(file, 'utf8');
}

/** Acquires the lock. It contains the owner's pid from the moment it exists, hence the link. */
function takeTurn(turn: string, draft: string): boolean {
  writeFileSync(draft, `${process.pid}`);
  try {
    linkSync(draft, turn);
    return true;
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
    if (!isHeld(turn)) rmSync(turn, { force: true });
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isHeld(turn: string): boolean {
  try {
    return isProcessRunning(Number(readFileSync(turn, 'utf8')));
  } catch (error) {
    // The lock was released just now.
    if (isErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}
