// An empty project outside the repository with the packed packages installed, as a stranger would have it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isLongRun } from '@presage/testkit';
import { buildPackages } from '../../../../scripts/build-packages.ts';
import { readManifest } from '../../../../scripts/package-plan.ts';
import type { ParsedFiles } from './parsed-files.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SAMPLES = fileURLToPath(new URL('.', import.meta.url));
const NO_REGISTRY = /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ENOTCACHED|ETIMEDOUT/;
/** Without install scripts: nothing of ours needs one. */
const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
/** What the programs of the stranger import besides. */
const OTHERS = ['viem', '@types/node'];
const execute = promisify(execFile);

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

export class EmptyProject {
  readonly dir: string;
  readonly tarballs: readonly string[];
  /** Not where there is no registry to fetch dependencies from. */
  isInstalled = false;

  private constructor(dir: string, tarballs: readonly string[]) {
    this.dir = dir;
    this.tarballs = tarballs;
  }

  static async open(parsed: ParsedFiles): Promise<EmptyProject> {
    const folders = await buildPackages(parsed.hostOf);
    const dir = await mkdtemp(join(tmpdir(), 'presage-packed-'));
    const packs = join(dir, 'packs');
    await mkdir(packs);
    await npm(packs, 'pack', '--pack-destination', packs, ...folders);
    const tarballs = (await readdir(packs)).map((name) => join(packs, name));
    const project = new EmptyProject(dir, tarballs);
    project.isInstalled = await project.#install(folders);
    return project;
  }

  async #install(folders: readonly string[]): Promise<boolean> {
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const dependencies = Object.fromEntries(OTHERS.map((name) => [name, devDependencies[name]]));
    await this.write('package.json', JSON.stringify({ name: 'empty', private: true, type: 'module', dependencies }));
    if (!isLongRun) await this.#linkKnown(folders);
    try {
      await npm(this.dir, ...INSTALL, '--prefer-offline', ...this.tarballs.filter(isForThisMachine));
      return true;
    } catch (error) {
      if (NO_REGISTRY.test(String((error as Ran).stderr))) return false;
      throw error;
    }
  }

  /** Unpacking ten thousand files is most of an installation. npm removes what nobody names, and fetches what is of another version. */
  async #linkKnown(folders: readonly string[]): Promise<void> {
    const modules = join(this.dir, 'node_modules');
    await mkdir(modules);
    const known = knownDependencies([...OTHERS.map(installed), ...folders.map((path) => relative(ROOT, path))]);
    await execute('cp', ['-al', '--parents', ...OTHERS, ...known, modules], { cwd: join(ROOT, 'node_modules') })
      // On another disk, or where `cp` makes no links: everything is fetched.
      .catch(() => rm(modules, { recursive: true }));
  }

  copy(sample: string): Promise<void> {
    return cp(join(SAMPLES, sample), join(this.dir, sample));
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.dir, path)), { recursive: true });
    await writeFile(join(this.dir, path), text);
  }

  read(path: string): Promise<string> {
    return readFile(join(this.dir, path), 'utf8');
  }

  run(program: string, ...args: string[]): Promise<Ran> {
    return this.#execute(program, args, process.env.PATH);
  }

  /** A command of an installed package by its name, as its first line asks for Node. */
  command(node: string, name: string, ...args: string[]): Promise<Ran> {
    const path = [dirname(node), process.env.PATH].join(delimiter);
    return this.#execute(this.bin(name), args, path);
  }

  /** Where npm put a command. */
  bin(name: string): string {
    return join(this.dir, 'node_modules', '.bin', name);
  }

  #execute(program: string, args: readonly string[], PATH: string | undefined): Promise<Ran> {
    const env = Object.entries(process.env).filter(([name]) => !/^(PRESAGE_|VITEST|NODE_OPTIONS)/.test(name));
    return execute(program, args, {
      cwd: this.dir,
      env: { ...Object.fromEntries(env), PATH, PRESAGE_CONFIG_DIR: this.dir },
    });
  }

  /** npm ships Node itself: installed beside, never into the repository. */
  async node(version: string): Promise<string> {
    const dir = join(this.dir, 'nodes', version);
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'package.json'), '{"private":true}');
    const name = `node-${process.platform}-${process.arch}`;
    await npm(dir, ...INSTALL, `${name}@${version}`);
    const program = join(dir, 'node_modules', name, 'bin', 'node');
    await access(program);
    return program;
  }

  close(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}

/** A registry has the binaries of all machines, and npm chooses; by its path each is installed, or refused. */
function isForThisMachine(tarball: string): boolean {
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  const libc = process.platform !== 'linux' ? '' : header.glibcVersionRuntime === undefined ? '-musl' : '-gnu';
  return !tarball.includes('presage-edr-') || tarball.includes(`-${process.platform}-${process.arch}${libc}`);
}

/** In the repository. */
function installed(name: string): string {
  return join('node_modules', name);
}

/** Names of the packages of others that these folders need, and those need in turn, as far as they lie at the root of the repository. */
function knownDependencies(folders: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>();
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const { dependencies, optionalDependencies } = readManifest(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (known.has(name) || name.startsWith('@presage/') || !existsSync(join(ROOT, installed(name)))) continue;
      known.add(name);
      waiting.push(installed(name));
    }
  }
  return known;
}

async function npm(cwd: string, ...args: string[]): Promise<Ran> {
  const env = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_OPTIONS)/i.test(name));
  return execute('npm', args, { cwd, env: Object.fromEntries(env) });
}
