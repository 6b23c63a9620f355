// The repository as somebody has it who just cloned and installed it: its files in a folder of its own, the packages linked.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Written by programs, or leading to our own packages, which the clone has itself. */
const OWN = ['.cache', '.vite', '@presage', '.bin', '.package-lock.json'];

export interface FreshClone {
  readonly dir: string;
  remove(): Promise<void>;
}

export async function openFreshClone(): Promise<FreshClone> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-clone-'));
  // Passable for the account that PostgreSQL runs as.
  await chmod(dir, 0o755);
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    maxBuffer: 1 << 26,
  });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(join(dir, dirname(file)), { recursive: true });
    // One that was deleted and not yet committed is not there.
    await copyFile(join(ROOT, file), join(dir, file)).catch(() => undefined);
  }
  await linkPackages(dir);
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** As npm lays them out, without asking a registry: those of others lead to the installed ones. */
async function linkPackages(dir: string): Promise<void> {
  const [installed, modules] = [join(ROOT, 'node_modules'), join(dir, 'node_modules')];
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const name of await readdir(installed)) {
    if (!OWN.includes(name)) await symlink(join(installed, name), join(modules, name));
  }
  for (const name of await readdir(join(installed, '.bin'))) {
    if (name !== 'presage') await symlink(join(installed, '.bin', name), join(modules, '.bin', name));
  }
  await run('cp', ['-a', join(installed, '@presage'), join(modules, '@presage')]);
  await run('cp', ['-a', join(installed, '.bin', 'presage'), join(modules, '.bin', 'presage')]);
  for (const workspace of ['apps/cli', 'contracts']) {
    await symlink(join(ROOT, workspace, 'node_modules'), join(dir, workspace, 'node_modules')).catch(() => undefined);
  }
}
