// An empty project outside the repository with the packed packages installed, as a stranger would have it.
import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SAMPLES = fileURLToPath(new URL('.', import.meta.url));
const STAGE = join(ROOT, 'dist', 'packages');
const TSX = createRequire(import.meta.url).resolve('tsx/cli');
const NO_REGISTRY = /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ENOTCACHED|ETIMEDOUT/;
const execute = promisify(execFile);

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

export const STAGED = ['protocol', 'sdk', 'cli'].map((name) => join(STAGE, name));

export class EmptyProject {
  readonly dir: string;
  readonly tarballs: readonly string[];

  private constructor(dir: string, tarballs: readonly string[]) {
    this.dir = dir;
    this.tarballs = tarballs;
  }

  /** Undefined where there is no registry to install the dependencies from. */
  static async open(): Promise<EmptyProject | undefined> {
    await execute(process.execPath, [TSX, join(ROOT, 'scripts', 'build-packages.ts')], { cwd: ROOT });
    const dir = await mkdtemp(join(tmpdir(), 'presage-packed-'));
    const packs = join(dir, 'packs');
    await mkdir(packs);
    await npm(packs, 'pack', '--pack-destination', packs, ...STAGED);
    const tarballs = (await readdir(packs)).map((name) => join(packs, name));
    const project = new EmptyProject(dir, tarballs);
    if (await project.#install()) return project;
    await project.close();
    return undefined;
  }

  async #install(): Promise<boolean> {
    await this.write('package.json', JSON.stringify({ name: 'empty', private: true, type: 'module' }));
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const others = ['viem', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);
    try {
      await this.install(...this.tarballs, ...others);
      return true;
    } catch (error) {
      if (NO_REGISTRY.test(String((error as Ran).stderr))) return false;
      throw error;
    }
  }

  /** Without install scripts: nothing of ours needs one. */
  install(...names: string[]): Promise<Ran> {
    return npm(this.dir, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...names);
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
    const env = Object.entries(process.env).filter(([name]) => !/^(PRESAGE_|VITEST|NODE_OPTIONS)/.test(name));
    return execute(program, args, { cwd: this.dir, env: { ...Object.fromEntries(env), PRESAGE_CONFIG_DIR: this.dir } });
  }

  /** A program of the repository's own development dependencies, working on this project. */
  tool(path: string, ...args: string[]): Promise<Ran> {
    return this.run(process.execPath, join(ROOT, 'node_modules', path), ...args);
  }

  /** npm ships Node itself: installed beside, never into the repository. */
  async node(version: string): Promise<string> {
    const dir = join(this.dir, 'nodes', version);
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'package.json'), '{"private":true}');
    const name = `node-${process.platform}-${process.arch}`;
    await npm(dir, 'install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`);
    const program = join(dir, 'node_modules', name, 'bin', 'node');
    await access(program);
    return program;
  }

  close(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}

async function npm(cwd: string, ...args: string[]): Promise<Ran> {
  const env = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_OPTIONS)/i.test(name));
  return execute('npm', args, { cwd, env: Object.fromEntries(env) });
}
