// Looks at the room that is left where the journal is, so that writes are refused while there is still some for what was accepted.

import { statfs } from 'node:fs/promises';
import type { Log } from '../log/log.ts';
import type { JournalFaults } from './journal-faults.ts';

/** A full segment of the journal: what was accepted before still has to be settled, and is written too. */
const REFUSED_BELOW_BYTES = 64 * 1024 * 1024;
/** More than below, so that the answer does not change with every file that comes and goes. */
const ACCEPTED_FROM_BYTES = 80 * 1024 * 1024;
const LOOK_EVERY_MS = 500;

export class DiskSpace {
  readonly #dir: string;
  readonly #log: Log;
  readonly #faults: JournalFaults;
  #timer: NodeJS.Timeout | undefined;

  constructor(dir: string, log: Log, faults: JournalFaults) {
    this.#dir = dir;
    this.#log = log;
    this.#faults = faults;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async look(): Promise<void> {
    // Where it cannot be told, the journal's own writes will show it.
    const free = await readFreeBytes(this.#dir).catch(() => Number.POSITIVE_INFINITY);
    const wasFull = this.#faults.has('disk_full');
    const isFull = free < (wasFull ? ACCEPTED_FROM_BYTES : REFUSED_BELOW_BYTES);
    if (isFull === wasFull) return;
    this.#faults.note('disk_full', isFull);
    const room = { dir: this.#dir, freeBytes: free };
    if (isFull) this.#log.error(room, 'the disk is full: writes are refused until there is room; free some');
    else this.#log.info(room, 'there is room on the disk again: writes are accepted');
  }
}

/** What this user may still write. */
async function readFreeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
