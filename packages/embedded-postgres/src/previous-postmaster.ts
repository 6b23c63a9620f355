// Clears the way for a new postmaster: stops one whose service died, refuses if its service lives, removes a wrong pid
// file.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrorCode } from '@presage/runtime/node';
import {
  findPostmaster,
  findProcessesIn,
  isPostmasterOf,
  postmasterFilePath,
  type RunningPostmaster,
  readPostmasterFile,
  readProcess,
} from './postmaster-file.ts';

export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';

  constructor(cluster: string, ownerPid: number) {
    super(`The embedded database in ${cluster} is in use by the running service with process id ${ownerPid}.`);
  }
}

/** Time for a service that is being replaced to close. */
const OWNER_TIMEOUT_MS = 5_000;

/** Steps to stop an orphan, with the time for each. PostgreSQL itself ends its children 5 s after SIGQUIT. */
const ORPHAN_STEPS = [
  // Its watcher saw the service die too, and is probably stopping it.
  { signal: undefined, timeoutMs: 1_000 },
  { signal: 'SIGQUIT', timeoutMs: 7_000 },
  { signal: 'SIGKILL', timeoutMs: 3_000 },
] as const;

export async function clearPreviousPostmaster(cluster: string): Promise<void> {
  const previous = await findPostmaster(cluster);
  if (previous === undefined) return removeWrongFile(cluster);
  const next = previous.isOwned ? await waitWhile(cluster, (it) => it.isOwned, OWNER_TIMEOUT_MS) : previous;
  if (next?.isOwned) throw new DatabaseInUse(cluster, next.parentPid);
  if (next) await endOrphan(cluster);
}

/**
 * PostgreSQL takes any living process of its own user for a running server. If the pid in the file was reused by
 * another process, the file must go; PostgreSQL still checks by shared memory that no server is left.
 */
async function removeWrongFile(cluster: string): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file && (await readProcess(file.pid)) && !(await findPostmaster(cluster))) {
    await rm(postmasterFilePath(cluster), { force: true });
  }
}

async function endOrphan(cluster: string): Promise<void> {
  for (const { signal, timeoutMs } of ORPHAN_STEPS) {
    const orphan = await findPostmaster(cluster);
    if (orphan && signal) sendSignal(orphan.pid, signal);
    if (!(await waitWhile(cluster, () => true, timeoutMs))) return;
  }
  throw new Error(`A previous PostgreSQL server in ${cluster} could not be ended.`);
}

/** Returns the postmaster if it still matches when the time is over. */
async function waitWhile(
  cluster: string,
  isStill: (it: RunningPostmaster) => boolean,
  timeoutMs: number,
): Promise<RunningPostmaster | undefined> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await findPostmaster(cluster);
    if (!found || !isStill(found) || Date.now() > deadline) return found;
    await sleep(20);
  }
}

/**
 * Ends children of a killed postmaster. They exit by themselves, except one deep in a query, and hold the shared memory
 * that keeps a new server from starting. Ending them is one more crash that recovery repairs, but it must never happen
 * beside a running postmaster.
 */
export async function endStragglers(cluster: string): Promise<void> {
  const pids = await findProcessesIn(cluster, 'postgres');
  const found = await Promise.all(pids.map((pid) => readProcess(pid)));
  if (found.some((it) => it && isPostmasterOf(cluster, it))) return;
  for (const pid of pids) sendSignal(pid, 'SIGKILL');
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isErrorCode(error, 'ESRCH')) throw error;
  }
}
