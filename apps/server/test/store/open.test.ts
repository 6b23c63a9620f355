// The database as the modules of the service use it: exact numbers, health, embedded or at a given address.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { portOf } from '@presage/runtime/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toReadError } from '../../src/projections/read-error.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { openEmptyStore } from './worker-database.ts';

async function makeDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-store-'));
  // Passable, so that the database of a test run by root stays inside.
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openServer(options: Parameters<typeof EmbeddedPostgres.open>[0]): Promise<EmbeddedPostgres> {
  const server = await EmbeddedPostgres.open(options);
  onTestFinished(() => server.close());
  return server;
}

async function open(options: Parameters<typeof openStore>[0]): Promise<Store> {
  const database = await openStore(options);
  onTestFinished(() => database.close());
  return database;
}

describe('openStore', () => {
  it('starts the embedded server, shows its steps, and ends it on close', async () => {
    const steps: string[] = [];
    const database = await openStore({ dataDir: await makeDataDir(), onProgress: (step) => steps.push(step) });
    expect(database.embedded).toBe(true);
    expect(await database.isUp()).toBe(true);
    expect(steps).toEqual([expect.stringMatching(/^Creating the embedded database in /)]);
    await database.close();
    expect(await database.isUp()).toBe(false);
  });

  it('uses the server at a given address and leaves it running', async () => {
    const server = await openEmptyStore();
    onTestFinished(() => server.close());
    const database = await openStore({ databaseUrl: server.url, dataDir: '/nonexistent' });
    expect(database).toMatchObject({ embedded: false, url: server.url });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await database.close();
    expect(await server.isUp()).toBe(true);
  });

  it('finds the server that answers among those of the address', async () => {
    const server = await openEmptyStore();
    onTestFinished(() => server.close());
    const databaseUrl = server.url.replace('@', '@127.0.0.1:1,');
    const database = await open({ databaseUrl, dataDir: '/nonexistent' });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('finds a server by its IPv6 address', async () => {
    const server = await openEmptyStore();
    onTestFinished(() => server.close());
    const { hostname, port } = new URL(server.url);
    const relay = createServer((socket) => void socket.pipe(connect(Number(port), hostname)).pipe(socket));
    onTestFinished(() => void relay.close());
    await new Promise<void>((resolve) => relay.listen(0, '::1', resolve));
    const databaseUrl = server.url.replace(`${hostname}:${port}`, `[::1]:${portOf(relay)}`);
    const database = await open({ databaseUrl, dataDir: '/nonexistent' });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it.each([
    'postgres://someone:s3cret@127.0.0.1:1/exchange',
    'postgres://someone:at@s3cret@127.0.0.1:1/exchange',
    'postgres://someone@127.0.0.1:1/exchange?password=s3cret',
  ])('names the address that does not answer, without its password: %s', async (databaseUrl) => {
    const failure = await openStore({ databaseUrl, dataDir: '/nonexistent' }).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toContain('The database at 127.0.0.1:1/exchange does not answer');
    expect(String(failure)).not.toContain('s3cret');
  });

  it.each(['', 'HTTP/1.1 400 Bad Request\r\n\r\n'])('tries the next server where one closes with %j', async (word) => {
    let accepted = 0;
    const proxy = createServer((socket) => {
      accepted++;
      socket.end(word);
    });
    onTestFinished(() => void proxy.close());
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const at = `127.0.0.1:${portOf(proxy)}`;
    const failure = openStore({ databaseUrl: `postgres://someone@${at}/x`, dataDir: '/nonexistent' });
    await expect(failure).rejects.toThrow(`${at}/x does not answer: the server closes connections`);
    expect(accepted).toBeLessThan(5);
    const server = await openEmptyStore();
    onTestFinished(() => server.close());
    const database = await open({ databaseUrl: server.url.replace('@', `@${at},`), dataDir: '/nonexistent' });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('fails what a server leaves unanswered that keeps its connections, and goes on when it answers again', async () => {
    const server = await openEmptyStore();
    onTestFinished(() => server.close());
    const { hostname, port } = new URL(server.url);
    let isSilent = false;
    const relay = createServer((socket) => {
      const there = connect(Number(port), hostname);
      there.on('data', (data) => isSilent || socket.write(data)).on('error', () => socket.destroy());
      socket.on('data', (data) => isSilent || there.write(data)).on('error', () => there.destroy());
      socket.on('close', () => there.destroy());
    });
    onTestFinished(() => void relay.close());
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const databaseUrl = server.url.replace(`${hostname}:${port}`, `127.0.0.1:${portOf(relay)}`);
    const database = await open({ databaseUrl, dataDir: '/nonexistent', lookMs: 500 });
    const long = database.sql`select pg_sleep(2)`;
    expect(await long).toHaveLength(1);
    isSilent = true;
    const fault = await database.sql`select 1`.catch((error: unknown) => error);
    expect(toReadError(fault)).toMatchObject({ code: 'database_unavailable' });
    expect(await database.isUp()).toBe(false);
    isSilent = false;
    await vi.waitFor(async () => expect(await database.isUp()).toBe(true), { timeout: 20_000 });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('is up while its pool is busy, down while the server is unreachable, and up again after', async () => {
    const dataDir = await makeDataDir();
    const first = await openServer({ dataDir });
    const database = await open({ databaseUrl: first.url, dataDir });
    const sleep = () => database.sql`select pg_sleep(600)`.catch((error: Error) => error);
    const busy = Promise.all(Array.from({ length: 10 }, sleep));
    expect(await database.isUp()).toBe(true);
    await first.close();
    expect((await busy).every((outcome) => outcome instanceof Error)).toBe(true);
    expect(await database.isUp()).toBe(false);
    await openServer({ dataDir, port: Number(new URL(first.url).port) });
    await vi.waitFor(async () => expect(await database.isUp()).toBe(true), { timeout: 20_000 });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});
