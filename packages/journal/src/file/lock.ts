// The lock of a journal directory: one live process at a time, while locks of dead processes do not block.
import { isErrorCode, type ProcessIdentity, type ProcessProbe } from '@presage/runtime/node';
import { JournalLocked } from '../errors.ts';
import type { JournalFiles } from './files.ts';

/*
 * A lock is an empty file whose name says who holds what: lock-<pid>-<start>-<boot id>~<directory>. The name, unlike content, is there in the
 * same instant as the file. Taking it is: create one's own, then look; a process that sees another live one withdraws. Of two that
 * start together the later creator always sees the earlier, so both can refuse but never both succeed. And because a name
 * belongs to one run of one process, anybody may remove that of a dead one without hitting a fresh lock: the race that a
 * single lock file has between "it is stale" and "remove it" does not exist.
 *
 * The directory is in the name for its copies: a lock that was copied along is of the original, and says nothing here.
 *
 * Limit: liveness is judged in this pid namespace. Two containers that mount one directory cannot see each other's processes.
 */
const LOCK_NAME = /^lock-(\d+)-(\d+)-([^~]+)(?:~(.+))?$/;

export interface LockOptions {
  files: JournalFiles;
  dir: string;
  probe: ProcessProbe;
}

/** Returns a function that releases the lock. */
export async function takeLock(options: LockOptions): Promise<() => Promise<void>> {
  const { files, dir, probe } = options;
  const self = await probe.self();
  const here = files.identify?.(dir);
  const own = lockName(self, here);
  await createLock(files, dir, own, self);
  const release = () => files.remove(`${dir}/${own}`);
  try {
    await refuseOthers(options, own, here);
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}

async function createLock(files: JournalFiles, dir: string, name: string, self: ProcessIdentity): Promise<void> {
  try {
    const file = await files.open(`${dir}/${name}`, 'create');
    await file.close();
  } catch (error) {
    if (isErrorCode(error, 'EEXIST')) throw new JournalLocked(dir, self.pid);
    throw error;
  }
}

async function refuseOthers(options: LockOptions, own: string, here: string | undefined): Promise<void> {
  const { files, dir, probe } = options;
  for (const name of await files.list(dir)) {
    const holder = parseLockName(name);
    if (!holder || name === own) continue;
    if (isOf(here, holder.dir) && (await probe.isAlive(holder))) throw new JournalLocked(dir, holder.pid);
    await files.remove(`${dir}/${name}`);
  }
}

function lockName({ pid, startTicks, bootId }: ProcessIdentity, dir: string | undefined): string {
  return `lock-${pid}-${startTicks}-${bootId}${dir === undefined ? '' : `~${dir}`}`;
}

/** A lock that does not name a directory may have been taken in this one. */
function isOf(here: string | undefined, taken: string | undefined): boolean {
  return here === undefined || taken === undefined || here === taken;
}

function parseLockName(name: string): (ProcessIdentity & { readonly dir: string | undefined }) | undefined {
  const [, pid, startTicks, bootId, dir] = LOCK_NAME.exec(name) ?? [];
  if (pid === undefined || startTicks === undefined || bootId === undefined) return undefined;
  return { pid: Number(pid), startTicks: Number(startTicks), bootId, dir };
}
