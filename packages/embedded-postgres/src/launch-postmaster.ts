// Starts the server on a cluster, after clearing what a crash of the previous one may have left.
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@presage/runtime/node';
import { Postmaster, PostmasterFailure, type PostmasterOptions } from './postmaster.ts';
import { clearPreviousPostmaster, endStragglers } from './previous-postmaster.ts';

export type LaunchOptions = Omit<PostmasterOptions, 'port'>;

const PORT_ATTEMPTS = 10;
const IN_USE_TIMEOUT_MS = 15_000;
/** Children of a killed postmaster exit within milliseconds; after this time they are busy with a query. */
const STRAGGLER_TIMEOUT_MS = 1_000;

/** Tries another port if this one is taken between finding and binding it. */
export async function launchPostmaster(options: LaunchOptions, preferredPort?: number): Promise<Postmaster> {
  let port = preferredPort ?? (await findFreePort());
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOnPort({ ...options, port });
    } catch (error) {
      if (!isFailure(error, 'port-taken') || attempt === PORT_ATTEMPTS) throw error;
      port = await findFreePort();
    }
  }
}

/** Waits until the processes of a crashed server have released its shared memory. */
export async function launchOnPort(options: PostmasterOptions): Promise<Postmaster> {
  const startMs = Date.now();
  for (;;) {
    await clearPreviousPostmaster(options.cluster);
    try {
      return await Postmaster.start(options);
    } catch (error) {
      const waitedMs = Date.now() - startMs;
      if (!isFailure(error, 'still-in-use') || waitedMs > IN_USE_TIMEOUT_MS) throw error;
      if (waitedMs > STRAGGLER_TIMEOUT_MS) await endStragglers(options.cluster);
      await sleep(50);
    }
  }
}

export function isFailure(error: unknown, kind: PostmasterFailure['kind']): boolean {
  return error instanceof PostmasterFailure && error.kind === kind;
}
