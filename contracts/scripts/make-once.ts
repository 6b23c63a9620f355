// A file that takes long to make and always comes out the same is made by one process, while the others wait for it.
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isErrorCode, isProcessRunning } from '@presage/runtime/node';

const LOOK_EVERY_MS = 100;
/** Whoever is at it longer than this has got stuck, or its process's number belongs to another by now. */
const WAIT_AT_MOST_MS = 300_000;

/** The file's contents. Without `await`: those who need them are imported rather than called. */
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
      // A rename never shows half a file.
      renameSync(draft, file);
    } finally {
      rmSync(turn, { force: true });
    }
  }
  return readFileSync(file, 'utf8');
}

/** Holds the number of the process whose turn it is from the moment it exists, hence the link. */
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
    // Given back in this moment.
    if (isErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}
