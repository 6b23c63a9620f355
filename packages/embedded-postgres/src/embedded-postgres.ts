// The embedded PostgreSQL server: private, on loopback, started and stopped with the service.
import { dirname } from 'node:path';
import { backoffMs, codeOf, messageOf, sleep } from '@presage/runtime';
import postgres from 'postgres';
import { clusterPath, createCluster, hasCluster, SUPERUSER } from './cluster.ts';
import { type DatabaseFolder, openDatabaseFolder } from './database-folder.ts';
import { findInstalledPackage } from './installed-package.ts';
import { isFailure, type LaunchOptions, launchOnPort, launchPostmaster } from './launch-postmaster.ts';
import { findPostgresBinaries, openPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { type Postmaster, PostmasterFailure } from './postmaster.ts';
import { clearPreviousPostmaster } from './previous-postmaster.ts';
import { readAccess, writeAccess } from './work-folder.ts';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** Preferred port; if it is taken or absent, any free port is used. */
  readonly port?: number | undefined;
  /** Connections beyond those of one service; none by default. */
  readonly moreConnections?: number;
  readonly log?: (message: string) => void;
  /** Called while its cluster is being created, and at each start of the server: the caller may do other work meanwhile. */
  readonly onLaunched?: (() => void) | undefined;
}

const REVIVAL_PAUSE = { firstMs: 100, longestMs: 10_000 };

export class EmbeddedPostgres {
  readonly #dataDir: string;
  readonly #folder: DatabaseFolder;
  readonly #moreConnections: number;
  #binaries: PostgresBinaries;
  readonly #log: (message: string) => void;
  readonly #closing = new AbortController();
  #postmaster: Postmaster;
  #restarting: Promise<void> = Promise.resolve();

  private constructor(parts: Parts, postmaster: Postmaster) {
    this.#dataDir = parts.dataDir;
    this.#folder = parts.folder;
    this.#moreConnections = parts.moreConnections;
    this.#binaries = parts.binaries;
    this.#log = parts.log;
    this.#postmaster = postmaster;
    this.#watch();
  }

  /**
   * Opens the server. A cluster that is missing, of another version, not ours or broken is recreated: it is only a view
   * of the journal.
   */
  static async open(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { dataDir, port, moreConnections = 0, log = () => undefined, onLaunched } = options;
    const folder = await openDatabaseFolder(dataDir);
    const source = await findInstalledPackage();
    const given = { dataDir, folder, port, moreConnections, log, onLaunched };
    const found = await findPostgresBinaries(folder.work, source);
    const isKept = !folder.isNew && (await hasCluster(folder.work, found));
    const postmaster = isKept ? await startUntested({ ...given, binaries: found }) : undefined;
    if (postmaster !== undefined) return new EmbeddedPostgres({ ...given, binaries: found }, postmaster);
    const binaries = await openPostgresBinaries(folder.work, source);
    if (binaries.isCopy) log(`PostgreSQL runs from a copy in ${folder.work.path}`);
    const parts = { ...given, binaries };
    const kept = isKept ? await startKept(parts) : undefined;
    return new EmbeddedPostgres(parts, kept ?? (await startNew(parts)));
  }

  /** Creates the files that the first `open` would create, without starting the server. */
  static async prepare(dataDir: string): Promise<void> {
    const folder = await openDatabaseFolder(dataDir);
    const binaries = await openPostgresBinaries(folder.work, await findInstalledPackage());
    if (folder.isNew || !(await hasCluster(folder.work, binaries))) {
      await createCluster(folder.work, binaries, folder.password);
    }
  }

  get url(): string {
    return toUrl(this.#folder.password, this.#postmaster.port);
  }

  /** Process id of the postmaster; changes with a restart. */
  get pid(): number {
    return this.#postmaster.pid;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#restarting;
    await this.#postmaster.stop();
  }

  #watch(): void {
    void this.#postmaster.ended.then(() => {
      if (!this.#closing.signal.aborted) this.#restarting = this.#restart();
    });
  }

  /**
   * Restarts on the same port, so that the service's pools reconnect by themselves. The cluster is kept unless it is
   * gone, because its tables are in use.
   */
  async #restart(): Promise<void> {
    const { port } = this.#postmaster;
    this.#log('PostgreSQL ended unexpectedly; it is started again');
    let isGone = false;
    for (let failures = 0; !this.#closing.signal.aborted; failures++) {
      try {
        if (!(await hasCluster(this.#folder.work, this.#binaries))) {
          isGone = true;
          await this.#createAgain();
        }
        const launch = toLaunchOptions(this.#folder, this.#binaries, this.#moreConnections);
        const postmaster = await launchOnPort({ ...launch, port });
        if (isGone) await requireDatabase(postmaster, this.#folder.password);
        this.#postmaster = postmaster;
        this.#watch();
        return;
      } catch (error) {
        this.#log(`PostgreSQL could not be started again: ${messageOf(error)}`);
        await sleep(backoffMs(REVIVAL_PAUSE, failures), this.#closing.signal).catch(() => undefined);
      }
    }
  }

  /**
   * Recreates a cluster whose folder was deleted while it ran. The password stays, because the pools have it; the view
   * is filled again.
   */
  async #createAgain(): Promise<void> {
    const { password } = this.#folder;
    const { work, logFile, isNew } = await openDatabaseFolder(this.#dataDir);
    const folder = dirname(logFile);
    if (isNew) await writeAccess(folder, { ...(await readAccess(folder)), password });
    this.#binaries = await openPostgresBinaries(work, await findInstalledPackage());
    this.#log(`The embedded database is gone; another is created in ${work.path}`);
    await createCluster(work, this.#binaries, password);
  }
}

interface Parts {
  readonly dataDir: string;
  readonly folder: DatabaseFolder;
  readonly binaries: PostgresBinaries;
  readonly port: number | undefined;
  readonly moreConnections: number;
  readonly log: (message: string) => void;
  readonly onLaunched: (() => void) | undefined;
}

/** Returns undefined if it did not start: the programs are then tested before the cluster is blamed. */
async function startUntested(parts: Parts): Promise<Postmaster | undefined> {
  try {
    return await start(parts);
  } catch (error) {
    if (error instanceof PostmasterFailure) return undefined;
    throw error;
  }
}

/** Returns undefined if the cluster is unusable. */
async function startKept(parts: Parts): Promise<Postmaster | undefined> {
  try {
    return await start(parts);
  } catch (error) {
    if (!isFailure(error, 'cluster')) throw error;
    parts.log(`The embedded database is made anew. ${messageOf(error)}`);
    return undefined;
  }
}

async function startNew(parts: Parts): Promise<Postmaster> {
  const { folder, binaries, log, onLaunched } = parts;
  log(`Creating the embedded database in ${folder.work.path}`);
  await clearPreviousPostmaster(clusterPath(folder.work));
  const creating = createCluster(folder.work, binaries, folder.password);
  onLaunched?.();
  await creating;
  return start(parts);
}

async function start({ folder, binaries, port, moreConnections, onLaunched }: Parts): Promise<Postmaster> {
  const launch = toLaunchOptions(folder, binaries, moreConnections);
  const postmaster = await launchPostmaster({ ...launch, onLaunched }, port);
  await requireDatabase(postmaster, folder.password);
  return postmaster;
}

/** Stops the server if its database cannot be used: otherwise it would run unnoticed and keep another from starting. */
async function requireDatabase(postmaster: Postmaster, password: string): Promise<void> {
  try {
    await findDatabase(toUrl(password, postmaster.port));
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}

function toLaunchOptions(
  { work, logFile }: DatabaseFolder,
  { postgres }: PostgresBinaries,
  moreConnections: number,
): LaunchOptions {
  return { program: postgres, cluster: clusterPath(work), moreConnections, logFile, account: work.account };
}

function toUrl(password: string, port: number): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

const DATABASE = 'presage';

/** Error codes of PostgreSQL: appendix A of its manual. */
const NO_SUCH_DATABASE = '3D000';
/** Login refused, internal error (such as damaged files), system error (such as missing files). */
const CLUSTER_FAULT = /^(28|XX|58)/;

/** Throws a PostmasterFailure of kind "cluster" if the cluster is damaged or has another password than ours. */
async function findDatabase(url: string): Promise<void> {
  try {
    await runStatement(url, 'select 1');
  } catch (error) {
    const code = String(codeOf(error) ?? '');
    if (CLUSTER_FAULT.test(code)) throw new PostmasterFailure(`FATAL: ${messageOf(error)}`);
    if (code !== NO_SUCH_DATABASE) throw error;
    // Renames instead of creating another database, which would copy 300 files and sync each of them at the first
    // close.
    await runStatement(withDatabase(url, 'template1'), `alter database postgres rename to ${DATABASE}`);
  }
}

async function runStatement(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

function withDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
