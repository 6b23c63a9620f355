// Watches the free disk space of the journal, so that new writes are refused while there is still room to settle what was accepted.

import { statfs } from 'node:fs/promises';
import type { Log } from '../log/log.ts';
import type { JournalFaults } from './journal-faults.ts';

/** Size of a full segment of the journal: trades that were accepted before still have to be settled, which writes records too. */
const REFUSED_BELOW_BYTES = 64 * 1024 * 1024;
/** Above the lower limit, so that the state does not flip with every file that comes and goes. */
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
    // If it cannot be read, the journal's own writes will show a full disk.
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

/** Bytes that this user may still write. */
async function readFreeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
