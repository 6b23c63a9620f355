// A PostgreSQL primary with a standby, synchronous or not: the database of a shared journal, for failovers.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@presage/runtime/node';
import { waitFor } from './patience.ts';
import { PASSWORD, PostgresNode } from './postgres-node.ts';
import { openPostgresPrograms, type PostgresPrograms } from './postgres-programs.ts';

const run = promisify(execFile);

interface PostgresPairOptions {
  /** Whether the primary waits for its standby before it answers a commit; true by default. */
  readonly isSynchronous?: boolean;
  /** A given folder is kept; by default a temporary one is used, which `close` removes. */
  readonly folder?: string;
}

/** Name under which the synchronous primary knows its standby. */
const STANDBY = 'standby';

interface Parts {
  readonly folder: string;
  readonly isKept: boolean;
  readonly isSynchronous: boolean;
  readonly programs: PostgresPrograms;
  readonly nodes: readonly [PostgresNode, PostgresNode];
}

export class PostgresPair {
  readonly #parts: Parts;
  #primary: PostgresNode;
  #standby: PostgresNode;

  private constructor(parts: Parts) {
    this.#parts = parts;
    [this.#primary, this.#standby] = parts.nodes;
  }

  /** Empties the folder if it was used before. */
  static async open(options: PostgresPairOptions = {}): Promise<PostgresPair> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'presage-pair-')));
    // Traversable for the servers' account.
    await chmod(folder, 0o711);
    const programs = await openPostgresPrograms(folder);
    const nodes = [await prepareNode(programs, folder, 'a'), await prepareNode(programs, folder, 'b')] as const;
    const { isSynchronous = true } = options;
    const pair = new PostgresPair({ folder, isKept: options.folder !== undefined, isSynchronous, programs, nodes });
    await pair.#startFirst().catch(async (error: unknown) => {
      await pair.close();
      throw error;
    });
    return pair;
  }

  get primary(): PostgresNode {
    return this.#primary;
  }

  get standby(): PostgresNode {
    return this.#standby;
  }

  /** Names both servers: clients look for the one that accepts writes. */
  get url(): string {
    const hosts = this.#parts.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://presage:${PASSWORD}@${hosts}/postgres`;
  }

  /** Promotes the standby to a primary without a standby; the previous primary must be dead or stopped. */
  async promote(): Promise<void> {
    if (this.#primary.isRunning) throw new Error('the previous primary still runs: two would take writes');
    await this.#standby.promote();
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
  }

  /** Restarts the server that is not the primary as its standby, from a copy made while the primary works. */
  async renewStandby(): Promise<void> {
    await this.#standby.kill();
    await rm(this.#standby.dataDir, { recursive: true, force: true });
    const label = await this.#copyPrimary();
    await this.#parts.programs.writeFile(this.#standby.join('backup_label'), label);
    await this.#followPrimary();
    if (this.#parts.isSynchronous) await this.#waitForStandby();
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.nodes.map((node) => node.kill()));
    if (!this.#parts.isKept) await rm(this.#parts.folder, { recursive: true, force: true });
  }

  /** The copy is made before the first start, while nothing changes. */
  async #startFirst(): Promise<void> {
    await createCluster(this.#parts.programs, this.#primary.dataDir, this.#parts.folder);
    await copyFolder(this.#primary.dataDir, this.#standby.dataDir);
    await this.#primary.start();
    await this.#followPrimary();
    if (this.#parts.isSynchronous) await this.#waitForStandby();
  }

  async #copyPrimary(): Promise<string> {
    return this.#primary.withConnection(async (ask) => {
      await ask(`select pg_backup_start('copy', true)`);
      // Files may change or vanish during the copy: the log that the standby replays repairs that.
      await copyFolder(this.#primary.dataDir, this.#standby.dataDir).catch(() => undefined);
      // The primary's settings about standbys must not be copied: this server may be a primary without a standby one
      // day.
      for (const name of ['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf'])
        await rm(this.#standby.join(name), { force: true });
      const [row] = await ask<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      return row!.labelfile;
    });
  }

  async #followPrimary(): Promise<void> {
    await this.#parts.programs.writeFile(this.#standby.join('standby.signal'), '');
    const source = `host=127.0.0.1 port=${this.#primary.port} user=presage password=${PASSWORD} application_name=${STANDBY}`;
    // The last line counts: a previous primary may once have been the standby of another one.
    await appendFile(this.#standby.join('postgresql.conf'), `\nprimary_conninfo = '${source}'\n`);
    await this.#standby.start();
  }

  /** From here on no commit is answered before the standby has it. */
  async #waitForStandby(): Promise<void> {
    await this.#primary.query(`alter system set synchronous_standby_names = '${STANDBY}'`);
    await this.#primary.query('select pg_reload_conf()');
    await waitFor('the standby is synchronous', async () => {
      const rows = await this.#primary.query<{ state: string }>('select sync_state as state from pg_stat_replication');
      return rows.some(({ state }) => state === 'sync');
    });
  }
}

async function prepareNode(programs: PostgresPrograms, folder: string, name: string): Promise<PostgresNode> {
  const place = join(folder, name);
  await rm(place, { recursive: true, force: true });
  await programs.makeFolder(place);
  const [port, logFile] = [await findFreePort(), join(folder, `${name}.log`)];
  return new PostgresNode({ programs, dataDir: join(place, 'cluster'), port, logFile });
}

async function createCluster(programs: PostgresPrograms, dataDir: string, folder: string): Promise<void> {
  const passwordFile = join(folder, `password-${randomBytes(4).toString('hex')}`);
  await programs.writeFile(passwordFile, PASSWORD);
  // Versions before 17 have no built-in locale provider.
  const builtin = programs.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
  const locale = ['--no-locale', ...builtin, '--encoding=UTF8'];
  const access = ['--username=presage', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const size = ['--wal-segsize=4', '--no-sync', '--no-instructions'];
  // Without these sizes initdb probes the machine's limits, which takes a second.
  const given = programs.major >= 16 ? ['--set=max_connections=60', '--set=shared_buffers=32MB'] : [];
  await programs.run('initdb', [`--pgdata=${dataDir}`, ...locale, ...access, ...size, ...given]);
  await rm(passwordFile);
}

/** Preserves owners and modes: the server refuses a folder that is not its own. */
async function copyFolder(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]);
}
