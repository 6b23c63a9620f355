// The repository as somebody has it who cloned, installed and once started it: its files in a folder of its own, the packages linked.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Written by programs, or leading to our own packages, which the clone has itself. */
const OWN = ['.cache', '.vite', '@presage', '.bin', '.package-lock.json'];

/** What a first start bundles and builds from the sources, for which the set-up of a test run has shown that it does. */
const KEPT = [join('node_modules', '.cache', 'presage'), join('apps', 'web', 'dist')];

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
  // One that was deleted and not yet committed is not there.
  const files = stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)));
  await copyFiles(files, dir);
  await linkPackages(dir);
  for (const kept of KEPT.filter((name) => existsSync(join(ROOT, name)))) {
    await mkdir(join(dir, dirname(kept)), { recursive: true });
    await run('cp', ['-a', join(ROOT, kept), join(dir, kept)]);
  }
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** With the times of their last changes, to the nanosecond: by these what is kept is known to be fresh. */
async function copyFiles(files: readonly string[], dir: string): Promise<void> {
  const [list, archive] = [join(dir, '.files'), join(dir, '.archive')];
  await writeFile(list, files.join('\0'));
  await run('tar', ['--format=pax', '-cf', archive, '--null', '-T', list], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', dir]);
  await Promise.all([list, archive].map((file) => rm(file)));
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
