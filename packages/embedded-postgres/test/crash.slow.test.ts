// The embedded server under kill -9: of itself, of its service, of both, and with wrong traces left behind.
import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessRunning } from '@presage/runtime/node';
import { isLongRun } from '@presage/testkit';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedPostgres } from '../src/embedded-postgres.ts';
import { findPostmaster, isPostmasterOf, readProcess } from '../src/postmaster-file.ts';
import { clearPreviousPostmaster, DatabaseInUse } from '../src/previous-postmaster.ts';
import { connect, IS_ROOT, makeDataDir, openServer, readNotes, UsedDataDirs, writeNote } from './fixtures.ts';
import { spawnBareService, spawnService } from './spawn-service.ts';

const KILLS = isLongRun ? 60 : 3;
/** A first start takes half of it. */
const LONGEST_LIFE_MS = 2_000;
const TIMEOUT = { timeout: 20_000, interval: 20 };
const used = new UsedDataDirs();

afterAll(() => used.removeOriginal());

function toCluster(dataDir: string): string {
  return join(dataDir, 'database', 'work', 'cluster');
}

async function findPid(dataDir: string): Promise<number> {
  const postmaster = await findPostmaster(toCluster(dataDir));
  if (!postmaster) throw new Error('no postmaster runs');
  return postmaster.pid;
}

/** The shell that waits in the postmaster's session for its service to die. */
async function findWatcher(postmasterPid: number): Promise<number> {
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
    const session = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
    if (session === postmasterPid && pid !== postmasterPid && stat.includes('(sh)')) return pid;
  }
  throw new Error('no watcher runs');
}

describe('EmbeddedPostgres after a crash', () => {
  it('comes back on the same port when the postmaster is killed, even while a child is deep in a query', async () => {
    const messages: string[] = [];
    const server = await openServer({ dataDir: await used.make(), log: (message) => messages.push(message) });
    const { url, pid } = server;
    await writeNote(url, 'kept');
    const endless = connect(url)`do 'begin loop perform 1; end loop; end'`.catch((error: Error) => error);
    const [busy] = await vi.waitFor(async () => {
      const rows = await connect(url)<{ pid: number }[]>`select pid from pg_stat_activity where query like 'do %loop%'`;
      expect(rows).toHaveLength(1);
      return rows;
    }, TIMEOUT);
    process.kill(pid, 'SIGKILL');
    // First of all: what the postmaster had started answers for a moment longer.
    await vi.waitFor(() => expect(server.pid).not.toBe(pid), TIMEOUT);
    await vi.waitFor(async () => expect(await readNotes(url)).toEqual(['kept']), TIMEOUT);
    expect(await endless).toBeInstanceOf(Error);
    expect(server.url).toBe(url);
    await vi.waitFor(() => expect(isProcessRunning(busy?.pid ?? 0)).toBe(false), TIMEOUT);
    expect(messages).toContain('PostgreSQL ended unexpectedly; it is started again');
  });

  it('ends by itself when its service is killed, and starts again with its rows', async () => {
    const dataDir = await used.make();
    const service = await spawnService(dataDir);
    await writeNote(service.url, 'kept');
    const pid = await findPid(dataDir);
    await service.kill('SIGKILL');
    await vi.waitFor(() => expect(isProcessRunning(pid)).toBe(false), TIMEOUT);
    expect(await readNotes((await openServer({ dataDir })).url)).toEqual(['kept']);
  });

  it('starts again at once when service and postmaster were killed together', async () => {
    const dataDir = await used.make();
    const service = await spawnService(dataDir);
    await writeNote(service.url, 'kept');
    process.kill(await findPid(dataDir), 'SIGKILL');
    await service.kill('SIGKILL');
    expect(await readNotes((await openServer({ dataDir })).url)).toEqual(['kept']);
  });

  it.runIf(process.platform === 'linux')('ends an orphan whose watcher was killed as well', async () => {
    const dataDir = await used.make();
    const service = await spawnService(dataDir);
    await writeNote(service.url, 'kept');
    const orphan = await findPid(dataDir);
    const watcher = await readProcess(await findWatcher(orphan));
    if (!watcher) throw new Error('the watcher has exited');
    expect(isPostmasterOf(toCluster(dataDir), watcher)).toBe(false);
    process.kill(watcher.pid, 'SIGKILL');
    await service.kill('SIGKILL');
    expect(await findPostmaster(toCluster(dataDir))).toMatchObject({ pid: orphan, isOwned: false });
    const server = await openServer({ dataDir });
    await vi.waitFor(() => expect(isProcessRunning(orphan)).toBe(false), TIMEOUT);
    expect(await readNotes(server.url)).toEqual(['kept']);
  });

  it('opens after its service was killed at any moment, also while it was being made', async () => {
    const dataDir = await makeDataDir();
    const seed = Date.now();
    let state = seed;
    for (let round = 0; round < KILLS; round += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const service = spawnBareService(dataDir);
      await sleep(state % LONGEST_LIFE_MS);
      await service.kill('SIGKILL');
    }
    const server = await openServer({ dataDir }).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
    await writeNote(server.url, 'well');
    expect(await readNotes(server.url), `seed ${seed}`).toEqual(['well']);
    expect(await readdir(join(dataDir, 'database', 'work')), `seed ${seed}`).toContain('cluster');
  });

  it('stops with its service on SIGTERM and leaves no pid file', async () => {
    const dataDir = await used.make();
    const service = await spawnService(dataDir);
    const pid = await findPid(dataDir);
    await service.kill('SIGTERM');
    await vi.waitFor(() => expect(isProcessRunning(pid)).toBe(false), TIMEOUT);
    await expect(readFile(join(toCluster(dataDir), 'postmaster.pid'))).rejects.toThrow('ENOENT');
  });

  it('leaves a running process alone whose pid is in the pid file', async () => {
    const dataDir = await used.make();
    const first = await EmbeddedPostgres.open({ dataDir });
    const pidFile = join(toCluster(dataDir), 'postmaster.pid');
    const trace = await readFile(pidFile, 'utf8');
    await first.close();
    // As the server's own user: only then does PostgreSQL take it for a server.
    const bystander = spawn('/bin/sleep', ['600'], IS_ROOT ? { uid: 65534, gid: 65534 } : {});
    onTestFinished(() => void bystander.kill('SIGKILL'));
    await writeFile(pidFile, trace.replace(/^\d+/, String(bystander.pid)));
    const second = await openServer({ dataDir });
    expect(await connect(second.url)`select 1 as one`).toEqual([{ one: 1 }]);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });

  it('refuses a data folder whose service is running, and does it no harm', async () => {
    const dataDir = await used.make();
    const { url } = await spawnService(dataDir);
    await expect(clearPreviousPostmaster(toCluster(dataDir))).rejects.toThrow(DatabaseInUse);
    await expect(EmbeddedPostgres.open({ dataDir })).rejects.toThrow(
      /in use by the running service with process id \d+/,
    );
    expect(await connect(url)`select 1 as one`).toEqual([{ one: 1 }]);
  });
});
