// Which databases a journal is opened in: only those that keep what they answer.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { portOf } from '@presage/runtime/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openJournalDatabase } from '../../src/store/open.ts';

describe('openJournalDatabase', () => {
  let dataDir: string;
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'presage-journal-database-'));
    await chmod(dataDir, 0o755);
    server = await EmbeddedPostgres.open({ dataDir });
  });

  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  it('commits to the disk whatever the default of the server, and warns where there is no standby', async () => {
    const { database, warnings, close } = await openJournalDatabase(server.url);
    onTestFinished(close);
    expect(await database.query('show synchronous_commit', [])).toEqual([{ synchronous_commit: 'on' }]);
    expect(warnings).toEqual([expect.stringContaining('no synchronous standby')]);
  });

  it('refuses a pooler that drops the settings of a connection', async () => {
    const url = await openForgetfulPooler(server.url, 'synchronous_commit\0on\0');
    await expect(openJournalDatabase(url)).rejects.toThrow(/synchronous_commit is off.*session mode/);
  });
});

/** Passes everything on but one setting of the message that begins a connection, as PgBouncer does with `ignore_startup_parameters`. */
async function openForgetfulPooler(url: string, setting: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const pooler = createServer((client) => {
    const backend = connect(Number(port), hostname);
    client.once('data', (first) => {
      const begin = first.toString('latin1').replace(setting, '');
      const message = Buffer.from(begin, 'latin1');
      message.writeInt32BE(message.length);
      backend.write(message);
      client.pipe(backend);
    });
    backend.pipe(client);
    for (const socket of [client, backend]) socket.on('error', () => undefined);
    client.on('close', () => backend.destroy());
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void pooler.close());
  return url.replace(`:${port}/`, `:${portOf(pooler)}/`);
}
