// The PostgreSQL of a shared journal: connections that commit durably, and a look at whether the server keeps what it commits.
import { ConnectionLost, type JournalDatabase, toSentParameters } from '@presage/journal';
import { codeOf, withinTime } from '@presage/runtime';
import type { StandbyChoice } from '../config.ts';
import { ConnectionPool } from './connection-pool.ts';
import { StandbyWatch } from './standby-watch.ts';

export interface OpenJournalDatabase {
  readonly database: JournalDatabase;
  /** What the operator should know about the server. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface JournalDatabaseOptions {
  /** What happens while the synchronous standby is away; the default is to wait. */
  readonly standbyAway?: StandbyChoice;
  readonly onWarning?: (message: string) => void;
  /** The server has lost the synchronous standby that it waits for, or has one again. */
  readonly onStandby?: (isAway: boolean) => void;
}

/** One append a partition, renewals and reads beside them. */
const CONNECTIONS = 6;
/** A host that vanished without a word closes no connection. */
const ANSWER_MS = 10_000;
const CLOSE_SECONDS = 2;

/** CockroachDB wants the statement repeated. */
const CONFLICT = '40001';

/** Errors after which nobody knows whether the statement was carried out, or that pass by themselves. */
const UNCERTAIN = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  // A network or a name service that is cut off.
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The server stops, crashed, starts, or is a standby by now.
  '57P01',
  '57P02',
  '57P03',
  '25006',
  // All connections of the server are taken.
  '53300',
  CONFLICT,
]);

/** A warning of this routine says that somebody, or a statement_timeout, ended the wait for the standby: the answer that follows is no promise. */
const NOT_REPLICATED = 'SyncRepWaitForLSN';
/** Answers when the commit is on the disks of the server and of its synchronous standbys. */
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
  /** Connections whose commits do not wait for a standby; made when they are needed. */
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
    // A statement that was prepared before takes one exchange with the server instead of two.
    const asked = pool.sql.unsafe<Row[]>(statement, toSentParameters(parameters) as never[], { prepare: true });
    const rows = await withinTime(asked, ANSWER_MS, toSilence).catch((error: unknown) =>
      this.#fail(error, pool, losses),
    );
    // The next statement that is answered well was replicated, and everything before it.
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

  /** A server that is silent, gone, or takes no writes any more may have another one beside it that does. */
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

/** The facts of the first server that takes writes; asking stays with that one. */
async function findPrimary(database: PooledDatabase): Promise<ServerFacts | undefined> {
  for (let left = database.servers; ; left--) {
    try {
      const [facts] = await database.query<ServerFacts>(INSPECT, []);
      if (!facts?.in_recovery) return facts;
      if (left <= 1) throw new Error('PRESAGE_JOURNAL_URL is a standby: point it at the primary.');
      database.moveOn();
    } catch (error) {
      // That dropped the connections to a server that is gone.
      if (left <= 1 || !(error instanceof ConnectionLost)) throw error;
    }
  }
}

/** Servers that only speak PostgreSQL's protocol do not know these settings: null. */
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
  // Every connection asks for it: a pooler that drops settings hides the server's own, which may answer before anything is on a disk.
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
