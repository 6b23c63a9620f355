// Clears the way for a new postmaster: ends one whose service died, refuses when its service lives, heals a wrong pid file.
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

/** A service that is just being replaced needs a moment to close. */
const OWNER_TIMEOUT_MS = 5_000;

/** What is done to an orphan, and how long each is given. PostgreSQL itself ends its children 5 s after SIGQUIT. */
const ORPHAN_STEPS = [
  // Its watcher saw the service die too, and is probably at work.
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
 * PostgreSQL takes any living process of its own user for a running server. When the pid in the file was given to somebody
 * else since, the file must go; PostgreSQL still checks by shared memory that no server is left.
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

/** The postmaster that is still as described when patience ends. */
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
 * Children of a killed postmaster leave by themselves, except one deep in a query, and hold the shared memory that keeps a
 * new server from starting. Ending them is one more crash that recovery repairs; but never beside a running postmaster.
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
