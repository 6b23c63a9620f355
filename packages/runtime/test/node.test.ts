// Files that are written whole, and processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  argumentFault,
  findFreePort,
  isProcessRunning,
  nodeProcessProbe,
  readFileIfPresent,
  writeFileAtomically,
} from '@presage/runtime/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

async function makeDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-runtime-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

describe('arguments of a program that takes none', () => {
  it.each([
    [['--port', '18123'], 'started with 2. Set PRESAGE_PORT in the environment instead'],
    [
      ['--data-dir=/x', '--host=::1'],
      'started with 2. Set PRESAGE_DATA_DIR and PRESAGE_HOST in the environment instead',
    ],
    [['18123'], 'started with 1. Its settings are in the environment, such as PRESAGE_PORT=8080'],
    [['--help'], 'started with 1. Its settings are in the environment, such as PRESAGE_PORT=8080'],
  ])('%s are refused with what to set', (given, text) => {
    expect(argumentFault(given)).toBe(`This program takes no arguments, but was ${text}; docs/settings.md lists all.`);
  });

  it('are not printed, since one may be a key', () => {
    expect(argumentFault(['--settler-key', '0xsecret', '--x=secret', 'secret'])).not.toContain('secret');
    expect(argumentFault([])).toBeUndefined();
  });
});

describe('an atomic write', () => {
  it('replaces the whole file, for its owner only, and leaves nothing else behind', async () => {
    const dir = await makeDir();
    const path = join(dir, 'keys.json');
    expect(await readFileIfPresent(path)).toBeUndefined();
    await writeFileAtomically(path, 'a long first text');
    await writeFileAtomically(path, 'short');
    expect(await readFileIfPresent(path)).toBe('short');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dir)).toEqual(['keys.json']);
  });

  it('never mixes two writes at once', async () => {
    const path = join(await makeDir(), 'both');
    const texts = ['a', 'b'].map((letter) => letter.repeat(100_000));
    await Promise.all(texts.map((text) => writeFileAtomically(path, text)));
    expect(texts).toContain(await readFileIfPresent(path));
  });

  it('that fails leaves no draft', async () => {
    const dir = await makeDir();
    await expect(writeFileAtomically(join(dir, 'no', 'file'), '')).rejects.toThrow('ENOENT');
    await expect(writeFileAtomically(dir, '')).rejects.toThrow();
    expect(await readdir(dir)).toEqual([]);
    expect(await readdir(join(dir, '..'))).not.toContainEqual(expect.stringMatching(`${dir.split('/').at(-1)}.*tmp`));
  });
});

it('a process is running until it has ended, and its identity is of one run only', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const { bootId } = await nodeProcessProbe.self();
  expect(isProcessRunning(child.pid!)).toBe(true);
  expect(await nodeProcessProbe.isAlive({ pid: child.pid!, startTicks: 0, bootId })).toBe(true);
  expect(await nodeProcessProbe.isAlive({ pid: child.pid!, startTicks: 0, bootId: 'another boot' })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isProcessRunning(child.pid!)).toBe(false);
});

it.runIf(process.platform === 'linux')(
  'a process that has ended and that nobody has taken note of does not run',
  async () => {
    // A shell that becomes another program never asks for the child that it had before.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    await expect.poll(() => isProcessRunning(Number(text)), { timeout: 10_000 }).toBe(false);
    expect(() => process.kill(Number(text), 0)).not.toThrow();
  },
);

it.runIf(process.platform === 'linux')(
  'a process whose end is taken note of while it is looked for does not run, and holds no lock',
  async () => {
    const child = spawn('true', { stdio: 'ignore' });
    await once(child, 'exit');
    // It answered the signal, and was gone before anything could be read of it.
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    onTestFinished(() => kill.mockRestore());
    const { bootId } = await nodeProcessProbe.self();
    expect(isProcessRunning(child.pid!)).toBe(false);
    expect(await nodeProcessProbe.isAlive({ pid: child.pid!, startTicks: 1, bootId })).toBe(false);
  },
);

it('a free port can be listened on', async () => {
  const server = createServer().listen(await findFreePort(), '127.0.0.1');
  await once(server, 'listening');
  server.close();
});
