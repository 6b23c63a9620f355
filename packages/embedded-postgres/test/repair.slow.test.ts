// The embedded server in trouble short of a crash: neighbours, taken ports, broken clusters, lost passwords.
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '@presage/testkit';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedPostgres } from '../src/embedded-postgres.ts';
import { connect, makeDataDir, openServer, readNotes, UsedDataDirs, writeNote } from './fixtures.ts';

/** The server may write into it meanwhile. */
const DELETED_UNDER_IT = { recursive: true, maxRetries: 10 };

const used = new UsedDataDirs();

afterAll(() => used.removeOriginal());

describe('EmbeddedPostgres', () => {
  it('serves two data folders at once, each with its own rows and password', async () => {
    const dataDirs = [await used.make(), await makeDataDir()];
    const [left, right] = await Promise.all(dataDirs.map((dataDir) => openServer({ dataDir })));
    if (!left || !right) throw new Error('unreachable');
    await Promise.all([writeNote(left.url, 'left'), writeNote(right.url, 'right')]);
    expect(await readNotes(left.url)).toEqual(['left']);
    expect(await readNotes(right.url)).toEqual(['right']);
    expect(new URL(left.url).password).not.toBe(new URL(right.url).password);
  });

  it('takes the configured port, and another one when it is in use', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void squatter.close());
    const port = await new Promise<number>((resolve) => {
      squatter.once('listening', () => resolve((squatter.address() as { port: number }).port));
    });
    const dataDir = await used.make();
    const displaced = await EmbeddedPostgres.open({ dataDir, port });
    expect(displaced.url).not.toContain(`:${port}/`);
    await displaced.close();
    await new Promise((resolve) => squatter.close(resolve));
    expect((await openServer({ dataDir, port })).url).toContain(`127.0.0.1:${port}/`);
  });

  it('creates the database again when the cluster is broken, and says so', async () => {
    const dataDir = await used.make();
    const first = await EmbeddedPostgres.open({ dataDir });
    await writeNote(first.url, 'lost');
    await first.close();
    await rm(join(dataDir, 'database', 'work', 'cluster', 'global', 'pg_control'));
    const messages: string[] = [];
    const second = await openServer({ dataDir, log: (message) => messages.push(message) });
    await expect(readNotes(second.url)).rejects.toThrow('relation "note" does not exist');
    expect(messages.join('\n')).toMatch(/is made anew\..*pg_control/);
  });

  it('creates the database again under the same address when its folder is deleted while it runs', async () => {
    const dataDir = await used.make();
    const messages: string[] = [];
    const server = await openServer({ dataDir, log: (message) => messages.push(message) });
    const { url, pid } = server;
    await writeNote(url, 'lost');
    await rm(join(dataDir, 'database'), DELETED_UNDER_IT);
    process.kill(pid, 'SIGKILL');
    await waitFor('it is there again', () => readNotes(url).catch((error: { code: string }) => error.code === '42P01'));
    expect(server.url).toBe(url);
    expect(messages.join('\n')).toContain('The embedded database is gone');
    await writeNote(url, 'kept');
    await server.close();
    const again = await openServer({ dataDir });
    expect(await readNotes(again.url), 'the next start knows its password').toEqual(['kept']);
  });

  it('creates the database again when its password is lost or is not that of the cluster', async () => {
    const dataDir = await used.make();
    const first = await EmbeddedPostgres.open({ dataDir });
    await first.close();
    const accessFile = join(dataDir, 'database', 'access.json');
    await rm(accessFile);
    const second = await EmbeddedPostgres.open({ dataDir });
    await second.close();
    await writeFile(accessFile, JSON.stringify({ password: '0'.repeat(64) }));
    const third = await openServer({ dataDir });
    expect(new URL(third.url).password).toBe('0'.repeat(64));
    expect(await connect(third.url)`select 1 as one`).toEqual([{ one: 1 }]);
  });
});
