// A full disk before anything of a frame was written is no damage: whoever needs room waits until there is some.
import { codeOf, sleep } from '@presage/runtime';

const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);
/** Somebody must act: twice a second is soon enough. */
const PAUSE_MS = 500;

export function isDiskFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

/** `work` begins anew each time, so it must not depend on what a previous attempt left behind. */
export async function whenThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
