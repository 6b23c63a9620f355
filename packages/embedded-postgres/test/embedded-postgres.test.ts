// The embedded server as the service uses it: fresh, restarted, private.
import { chmod, lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../src/embedded-postgres.ts';
import { connect, IS_ROOT, makeDataDir, openServer, readNotes, writeNote } from './fixtures.ts';

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

  it('starts from files that were made ahead, and makes none where there are some', async () => {
    const dataDir = await makeDataDir();
    await EmbeddedPostgres.prepare(dataDir);
    const lines: string[] = [];
    const server = await EmbeddedPostgres.open({ dataDir, log: (line) => lines.push(line) });
    await writeNote(server.url, 'kept');
    await server.close();
    expect(lines.filter((line) => line.includes('Creating') || line.includes('anew'))).toEqual([]);
    await EmbeddedPostgres.prepare(dataDir);
    expect(await readNotes((await openServer({ dataDir })).url)).toEqual(['kept']);
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
