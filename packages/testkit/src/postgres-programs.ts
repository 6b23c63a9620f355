// Finds the PostgreSQL programs that npm installed and the account that may run them, for tests that need servers of their own.
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findInstalledPackage, makeLibraryLinks } from '@presage/embedded-postgres';

const run = promisify(execFile);

/** PostgreSQL refuses to run as root, and "nobody" is in the user list of every Linux. */
const NOBODY = { uid: 65534, gid: 65534 };
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export interface PostgresPrograms {
  /** 18, or the version of the programs that PRESAGE_TEST_POSTGRES names. */
  readonly major: number;
  path(name: 'initdb' | 'pg_ctl' | 'postgres'): string;
  /** Spawn options of a program: the account and a minimal environment. */
  readonly options: {
    readonly uid?: number;
    readonly gid?: number;
    readonly env: NodeJS.ProcessEnv;
    readonly cwd: string;
  };
  run(name: 'initdb' | 'pg_ctl', args: readonly string[]): Promise<void>;
  /** Creates a folder owned by the account and closed to others, as the server requires. */
  makeFolder(path: string): Promise<void>;
  /** Writes a file owned by the account. */
  writeFile(path: string, text: string): Promise<void>;
}

/** `folder` receives a copy of the programs if the account cannot reach those in `node_modules`. */
export async function openPostgresPrograms(folder: string): Promise<PostgresPrograms> {
  const account = process.getuid?.() === 0 ? NOBODY : undefined;
  const options = { ...account, env: ENVIRONMENT, cwd: '/' };
  const { native: installed, links } = await findInstalledPackage(process.env.PRESAGE_TEST_POSTGRES);
  await makeLibraryLinks(installed, links);
  const isRunnable = await run(join(installed, 'bin', 'postgres'), ['--version'], options).then(
    () => true,
    () => false,
  );
  const native = isRunnable ? installed : await copyPrograms(installed, folder);
  const path = (name: string) => join(native, 'bin', name);
  const give = async (place: string) => {
    if (account !== undefined) await chown(place, account.uid, account.gid);
  };
  return {
    major: await readMajor(path('postgres'), options),
    path,
    options,
    run: async (name, args) => {
      await run(path(name), [...args], options);
    },
    makeFolder: async (place) => {
      await mkdir(place, { mode: 0o700 });
      await give(place);
    },
    writeFile: async (place, text) => {
      await writeFile(place, text, { mode: 0o600 });
      await give(place);
    },
  };
}

async function readMajor(program: string, options: PostgresPrograms['options']): Promise<number> {
  const { stdout } = await run(program, ['--version'], options);
  return Number(/(\d+)/.exec(stdout)?.[1]);
}

async function copyPrograms(installed: string, folder: string): Promise<string> {
  const copy = join(folder, 'postgresql');
  await run('cp', ['-R', '-P', installed, copy]);
  await run('chmod', ['-R', 'a+rX', copy]);
  await chmod(folder, 0o711);
  return copy;
}
