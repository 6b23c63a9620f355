// The embedded server as the service uses it: fresh, restarted, private, beside others.
import { chmod, lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { connect, IS_ROOT, makeDataDir, openServer, readNotes, writeNote } from './store-fixtures.ts';

describe('EmbeddedPostgres', () => {
  it('starts from nothing and keeps its rows over a restart', async () => {
    const dataDir = await makeDataDir();
    const first = await EmbeddedPostgres.open({ dataDir });
    await writeNote(first.url, 'kept');
    await first.close();
    expect(() => process.kill(first.pid, 0)).toThrow('ESRCH');
    const second = await openServer({ dataDir });
    expect(await readNotes(second.url)).toEqual(['kept']);
  });

  it('serves two data folders at once, each with its own rows and password', async () => {
    const dataDirs = [await makeDataDir(), await makeDataDir()];
    const [left, right] = await Promise.all(dataDirs.map((dataDir) => openServer({ dataDir })));
    if (!left || !right) throw new Error('unreachable');
    await Promise.all([writeNote(left.url, 'left'), writeNote(right.url, 'right')]);
    expect(await readNotes(left.url)).toEqual(['left']);
    expect(await readNotes(right.url)).toEqual(['right']);
    expect(new URL(left.url).password).not.toBe(new URL(right.url).password);
  });

  it('takes the port it is told, and another one when somebody has it', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void squatter.close());
    const port = await new Promise<number>((resolve) => {
      squatter.once('listening', () => resolve((squatter.address() as { port: number }).port));
    });
    const dataDir = await makeDataDir();
    const displaced = await EmbeddedPostgres.open({ dataDir, port });
    expect(displaced.url).not.toContain(`:${port}/`);
    await displaced.close();
    await new Promise((resolve) => squatter.close(resolve));
    expect((await openServer({ dataDir, port })).url).toContain(`127.0.0.1:${port}/`);
  });

  it('makes the database anew when the cluster is broken, and says so', async () => {
    const dataDir = await makeDataDir();
    const first = await EmbeddedPostgres.open({ dataDir });
    await writeNote(first.url, 'lost');
    await first.close();
    await rm(join(dataDir, 'database', 'work', 'cluster', 'global', 'pg_control'));
    const messages: string[] = [];
    const second = await openServer({ dataDir, log: (message) => messages.push(message) });
    await expect(readNotes(second.url)).rejects.toThrow('relation "note" does not exist');
    expect(messages.join('\n')).toMatch(/is made anew\..*pg_control/);
  });

  it('makes the database anew when its password is lost or is not that of the cluster', async () => {
    const dataDir = await makeDataDir();
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

describe('A running EmbeddedPostgres', () => {
  let dataDir: string;
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'presage-store-'));
    await chmod(dataDir, 0o755);
    server = await EmbeddedPostgres.open({ dataDir });
  });

  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  it('refuses a login without the password or with a wrong one', async () => {
    const { url } = server;
    const bare = new URL(url);
    bare.password = '';
    await expect(connect(bare.href)`select 1`).rejects.toThrow(/password/);
    bare.password = 'wrong';
    await expect(connect(bare.href)`select 1`).rejects.toThrow('password authentication failed');
  });

  it('listens on loopback alone, opens no socket file and shows its password to nobody', async () => {
    const { url, pid } = server;
    const [settings] = await connect(url)`
      select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
             current_setting('password_encryption') as encryption`;
    expect(settings).toEqual({ addresses: '127.0.0.1', sockets: '', encryption: 'scram-sha-256' });
    const { mode } = await lstat(join(dataDir, 'database', 'access.json'));
    expect(mode & 0o777).toBe(0o600);
    const commandLine = process.platform === 'linux' ? await readFile(`/proc/${pid}/cmdline`, 'utf8') : '';
    expect(commandLine).not.toContain(new URL(url).password);
  });

  it.runIf(IS_ROOT && process.platform === 'linux')('does not run as root when the service does', async () => {
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
    expect(status).toMatch(/^Gid:\t65534\t65534\t65534\t65534$/m);
    expect(status).toMatch(/^Groups:\t *$/m);
  });
});
