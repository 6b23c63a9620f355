// The PostgreSQL of a shared journal: connections with durable commits, and a check that the server keeps what it commits.
import { ConnectionLost, type JournalDatabase, toSentParameters } from '@presage/journal';
import { codeOf, withinTime } from '@presage/runtime';
import type { StandbyChoice } from '../config.ts';
import { ConnectionPool } from './connection-pool.ts';
import { StandbyWatch } from './standby-watch.ts';

export interface OpenJournalDatabase {
  readonly database: JournalDatabase;
  /** Problems of the server that the operator should know. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface JournalDatabaseOptions {
  /** What to do while the synchronous standby is away; waits by default. */
  readonly standbyAway?: StandbyChoice;
  readonly onWarning?: (message: string) => void;
  /** Called when the server loses its synchronous standby, and when it has one again. */
  readonly onStandby?: (isAway: boolean) => void;
}

/** One append per partition, with renewals and reads beside them. */
const CONNECTIONS = 6;
/** A host that vanished closes no connection. */
const ANSWER_MS = 10_000;
const CLOSE_SECONDS = 2;

/** CockroachDB's code for a statement that must be repeated. */
const CONFLICT = '40001';

/** Errors that are temporary, or leave it unknown whether the statement was executed. */
const UNCERTAIN = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  // An unreachable network or name service.
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The server is stopping, crashed, starting, or a standby by now.
  '57P01',
  '57P02',
  '57P03',
  '25006',
  // All connections of the server are in use.
  '53300',
  CONFLICT,
]);

/**
 * Routine of the warning that somebody, or a statement_timeout, ended the wait for the standby: the commit may not be
 * replicated.
 */
const NOT_REPLICATED = 'SyncRepWaitForLSN';
/** Answers once the commit is on the disks of the server and of its synchronous standbys. */
const REPLICATED_COMMIT = 'on';

export async function openJournalDatabase(
  url: string,
  options: JournalDatabaseOptions = {},
): Promise<OpenJournalDatabase> {
  const database = new PooledDatabase(url, options);
  try {
    return { database, warnings: await inspect(database), close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

class PooledDatabase implements JournalDatabase {
  readonly #replicated: ConnectionPool;
  /** Connections whose commits do not wait for a standby; created on demand. */
  #alone: ConnectionPool | undefined;
  readonly #open: (commit: typeof REPLICATED_COMMIT | 'local') => ConnectionPool;
  readonly #standby: StandbyWatch;
  #unreplicated = 0;

  constructor(url: string, { standbyAway: choice = 'wait', ...listeners }: JournalDatabaseOptions) {
    const onNotice = ({ routine }: { routine?: string }) => {
      if (routine === NOT_REPLICATED) this.#unreplicated++;
    };
    this.#open = (commit) =>
      new ConnectionPool(url, CONNECTIONS, { settings: { synchronous_commit: commit }, onNotice });
    this.#replicated = this.#open(REPLICATED_COMMIT);
    this.#standby = new StandbyWatch({ pool: new ConnectionPool(url, 1), choice, ...listeners });
  }

  get servers(): number {
    return this.#replicated.servers;
  }

  get #pool(): ConnectionPool {
    if (!this.#standby.isAlone) return this.#replicated;
    this.#alone ??= this.#open('local');
    return this.#alone;
  }

  async query<Row>(statement: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    const pool = this.#pool;
    const [unreplicated, losses] = [this.#unreplicated, pool.losses];
    // A prepared statement takes one round trip instead of two.
    const asked = pool.sql.unsafe<Row[]>(statement, toSentParameters(parameters) as never[], { prepare: true });
    const rows = await withinTime(asked, ANSWER_MS, toSilence).catch((error: unknown) =>
      this.#fail(error, pool, losses),
    );
    // Rejected as uncertain. Once a later statement succeeds, everything before it is replicated too.
    if (this.#unreplicated !== unreplicated) throw new ConnectionLost('the server stopped waiting for its standby');
    return rows;
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#replicated.close(CLOSE_SECONDS),
      this.#alone?.close(CLOSE_SECONDS),
      this.#standby.close(),
    ]);
  }

  /** Reconnects to the next server of the address. */
  moveOn(): void {
    this.#pool.moveOn();
  }

  /** If a server is silent, gone or read-only, another one of the address may accept writes. */
  #fail(error: unknown, pool: ConnectionPool, losses: number): never {
    if (error instanceof ConnectionLost) pool.moveOn(losses);
    const code = String(codeOf(error) ?? '');
    if (!UNCERTAIN.has(code) && !code.startsWith('08')) throw error;
    if (code !== CONFLICT) pool.moveOn(losses);
    throw new ConnectionLost(error);
  }
}

function toSilence(): ConnectionLost {
  return new ConnectionLost(`no answer within ${ANSWER_MS} ms`);
}

interface ServerFacts {
  readonly fsync: string | null;
  readonly full_page_writes: string | null;
  readonly standbys: string | null;
  readonly commit: string | null;
  readonly in_recovery: boolean;
}

/** Facts of the first server that accepts writes; later queries stay with it. */
async function findPrimary(database: PooledDatabase): Promise<ServerFacts | undefined> {
  for (let left = database.servers; ; left--) {
    try {
      const [facts] = await database.query<ServerFacts>(INSPECT, []);
      if (!facts?.in_recovery) return facts;
      if (left <= 1) throw new Error('PRESAGE_JOURNAL_URL is a standby: point it at the primary.');
      database.moveOn();
    } catch (error) {
      // The failure already dropped the connections to the lost server.
      if (left <= 1 || !(error instanceof ConnectionLost)) throw error;
    }
  }
}

/** Null for settings that a server which only speaks PostgreSQL's protocol does not know. */
const INSPECT = `select current_setting('fsync', true) as fsync, current_setting('full_page_writes', true) as full_page_writes,
  current_setting('synchronous_standby_names', true) as standbys, current_setting('synchronous_commit', true) as commit,
  pg_is_in_recovery() as in_recovery`;

async function inspect(database: PooledDatabase): Promise<string[]> {
  const facts = await findPrimary(database);
  if (facts === undefined) return [];
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => facts[name] === 'off');
  if (off.length > 0) {
    throw new Error(
      `PRESAGE_JOURNAL_URL: the server runs with ${off.join(' and ')} off and forgets what it answered when the power fails. Turn it on.`,
    );
  }
  // Every connection sets it: a pooler that drops settings leaves the server's own, which may answer before anything is
  // on disk.
  if (facts.commit !== null && facts.commit !== REPLICATED_COMMIT) {
    throw new Error(
      `PRESAGE_JOURNAL_URL: something between here and the server drops the settings of connections (synchronous_commit is ${facts.commit}). Name the server itself, or a pooler in session mode that passes them on.`,
    );
  }
  if (facts.standbys !== '') return [];
  return [
    'The journal has no synchronous standby: when its server is lost, so is what was answered since the last copy. Set synchronous_standby_names.',
  ];
}
