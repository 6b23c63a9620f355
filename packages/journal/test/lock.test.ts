// The lock of a journal directory: refused by a live holder, healed from a dead one.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeProcessProbe, type ProcessIdentity, type ProcessProbe } from '@presage/runtime/node';
import { expect, onTestFinished, test } from 'vitest';
import { FileJournal, JournalLocked } from '../src/index.ts';
import { record, temporaryDir } from './journal-contents.ts';

async function setUp() {
  const dir = join(await temporaryDir(), 'm0');
  await mkdir(dir);
  return { dir, partition: 'm0', segmentBytes: 4096, growBytes: 4096 };
}

async function locksIn(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.startsWith('lock-'));
}

async function leaveLock(dir: string, { pid, startTicks, bootId }: ProcessIdentity): Promise<void> {
  await writeFile(join(dir, `lock-${pid}-${startTicks}-${bootId}`), '');
}

function startProcess(): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function identityOf(pid: number): Promise<ProcessIdentity> {
  const own = await nodeProcessProbe.self();
  return { ...own, pid, startTicks: own.startTicks === 0 ? 0 : await startTicksOf(pid) };
}

async function startTicksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

test('a second opening in the same process is refused, and a closed journal leaves no lock', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  await expect(FileJournal.open(options)).rejects.toThrow(
    `Process ${process.pid} already writes the journal ${options.dir}.`,
  );
  await journal.append([record('a')], 1);
  await journal.close();
  expect(await locksIn(options.dir)).toEqual([]);
});

test('a live process is named, and its lock is left alone', async () => {
  const options = await setUp();
  const pid = startProcess().pid!;
  await leaveLock(options.dir, await identityOf(pid));
  const error = await FileJournal.open(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(JournalLocked);
  expect(error).toMatchObject({ pid, code: 'journal-locked' });
  expect((error as Error).message).toContain('Stop that process');
  expect(await locksIn(options.dir)).toHaveLength(1);
});

test('the lock of a killed process is healed', async () => {
  const options = await setUp();
  const child = startProcess();
  await leaveLock(options.dir, await identityOf(child.pid!));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const journal = await FileJournal.open(options);
  expect(await locksIn(options.dir)).toHaveLength(1);
  await journal.close();
});

test('the lock of another boot is healed although its pid lives', async () => {
  const options = await setUp();
  await leaveLock(options.dir, { ...(await nodeProcessProbe.self()), bootId: '00000000-another-boot' });
  await (await FileJournal.open(options)).close();
  expect(await locksIn(options.dir)).toEqual([]);
});

test.runIf(process.platform === 'linux')('the lock of a previous process with the same pid is healed', async () => {
  const options = await setUp();
  const own = await nodeProcessProbe.self();
  await leaveLock(options.dir, { ...own, startTicks: own.startTicks - 1 });
  await (await FileJournal.open(options)).close();
  expect(await locksIn(options.dir)).toEqual([]);
});

test('where the system reports neither boot nor start, the pid decides', async () => {
  const options = await setUp();
  const living = new Set([1, 2]);
  const probeOf = (pid: number): ProcessProbe => ({
    self: async () => ({ pid, startTicks: 0, bootId: 'unknown' }),
    isAlive: async (other) => living.has(other.pid),
  });
  const first = await FileJournal.open({ ...options, probe: probeOf(1) });
  await expect(FileJournal.open({ ...options, probe: probeOf(2) })).rejects.toThrow(JournalLocked);
  living.delete(1);
  const second = await FileJournal.open({ ...options, probe: probeOf(2) });
  await second.close();
  await first.close();
});

test('of many that open together at most one succeeds, over a stale lock too', async () => {
  const options = await setUp();
  for (let round = 0; round < 20; round++) {
    await leaveLock(options.dir, { pid: 999, startTicks: round, bootId: 'long-ago' });
    const openings = Array.from({ length: 8 }, (_, index) => {
      const identity = { pid: index + 1, startTicks: round, bootId: 'now' };
      const probe = { self: async () => identity, isAlive: async (other: ProcessIdentity) => other.bootId === 'now' };
      return FileJournal.open({ ...options, probe });
    });
    const opened = (await Promise.allSettled(openings)).flatMap((result) =>
      result.status === 'fulfilled' ? [result.value] : [],
    );
    expect(opened.length).toBeLessThanOrEqual(1);
    for (const journal of opened) await journal.close();
    expect((await locksIn(options.dir)).filter((name) => name.includes('-now'))).toEqual([]);
  }
});

test('an opening that fails gives its lock back', async () => {
  const options = await setUp();
  await writeFile(join(options.dir, '0000000000000002.frames'), '');
  await expect(FileJournal.open(options)).rejects.toThrow('records 1 to 1 are missing');
  expect(await locksIn(options.dir)).toEqual([]);
});

test('a directory copied from under its writer opens as itself, and the original goes on', async () => {
  const options = await setUp();
  const original = await FileJournal.open(options);
  await original.append([record('a')], 1);
  const copy = { ...options, dir: join(await temporaryDir(), 'm0') };
  await cp(options.dir, copy.dir, { recursive: true });
  const opened = await FileJournal.open(copy);
  expect(await locksIn(copy.dir)).toHaveLength(1);
  await opened.append([record('b')], 2);
  await original.append([record('c')], 2);
  expect([opened.lastSeq, original.lastSeq]).toEqual([2, 2]);
  await Promise.all([opened.close(), original.close()]);
});
