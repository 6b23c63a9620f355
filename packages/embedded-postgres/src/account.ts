// Decides which user runs PostgreSQL, and starts programs as that user.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf } from '@presage/runtime';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** "nobody" on every Linux: owns nothing that matters, and is in the user list, without which initdb refuses to work. */
const NOBODY: Account = { uid: 65534, gid: 65534 };

/** PATH for the shell inside initdb. Nothing of the service's own environment (PG*, LD_*, secrets) is passed on. */
export const BARE_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Chooses the user for a folder. PostgreSQL refuses to run as root. A folder that already belongs to an ordinary user
 * is served as that user, so that one start with sudo does not lock its owner out. Undefined means the service's own
 * account.
 */
export function chooseAccount(folder: Account): Account | undefined {
  if (!isRoot()) return undefined;
  return folder.uid === 0 ? NOBODY : { uid: folder.uid, gid: folder.gid };
}

const execute = promisify(execFile);

/** Runs a program; returns undefined if it succeeded, else its error output. */
export async function findComplaint(
  program: string,
  args: readonly string[],
  account: Account | undefined,
): Promise<string | undefined> {
  try {
    // The service's working directory may be inaccessible to this account.
    await execute(program, args, { ...account, env: BARE_ENVIRONMENT, cwd: '/', timeout: 120_000 });
    return undefined;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return stderr || messageOf(error);
  }
}
