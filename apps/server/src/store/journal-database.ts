// The PostgreSQL of a shared journal: connections that commit durably, and a look at whether the server keeps what it commits.
import { ConnectionLost, type JournalDatabase } from '@presage/journal';
import { ConnectionPool } from './connection-pool.ts';

export interface OpenJournalDatabase {
  readonly database: JournalDatabase;
  /** What the operator should know about the server. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** One append a partition, renewals and reads beside them. */
const CONNECTIONS = 6;
/** A host that vanished without a word closes no connection. */
const ANSWER_MS = 10_000;
const CLOSE_SECONDS = 2;

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
  // The server stops, crashed, starts, or is a standby by now; a conflict that CockroachDB wants repeated.
  '57P01',
  '57P02',
  '57P03',
  '25006',
  '40001',
]);

export async function openJournalDatabase(url: string): Promise<OpenJournalDatabase> {
  const pool = new ConnectionPool(url, CONNECTIONS, { synchronous_commit: 'on' });
  const database: JournalDatabase = {
    query: async <Row>(statement: string, parameters: readonly unknown[]) => {
      const asked = pool.sql.unsafe(statement, [...parameters] as never[]);
      // The rows are what the statement says they are.
      return (await withinTime(asked).catch(toUncertain)) as unknown as readonly Row[];
    },
  };
  const close = () => pool.close(CLOSE_SECONDS);
  try {
    return { database, warnings: await inspect(database), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function withinTime<T>(query: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionLost(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
  });
  return Promise.race([query, silence]).finally(() => clearTimeout(timer));
}

function toUncertain(error: unknown): never {
  const code = String((error as { code?: unknown }).code ?? '');
  throw UNCERTAIN.has(code) || code.startsWith('08') ? new ConnectionLost(error) : error;
}

interface ServerFacts {
  readonly fsync: string | null;
  readonly full_page_writes: string | null;
  readonly standbys: string | null;
  readonly in_recovery: boolean;
}

/** Servers that only speak PostgreSQL's protocol do not know these settings: null. */
const INSPECT = `select current_setting('fsync', true) as fsync, current_setting('full_page_writes', true) as full_page_writes,
  current_setting('synchronous_standby_names', true) as standbys, pg_is_in_recovery() as in_recovery`;

async function inspect(database: JournalDatabase): Promise<string[]> {
  const [facts] = await database.query<ServerFacts>(INSPECT, []);
  if (facts === undefined) return [];
  if (facts.in_recovery) throw new Error('PRESAGE_JOURNAL_URL is a standby: point it at the primary.');
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => facts[name] === 'off');
  if (off.length > 0) {
    throw new Error(
      `PRESAGE_JOURNAL_URL: the server runs with ${off.join(' and ')} off and forgets what it answered when the power fails. Turn it on.`,
    );
  }
  if (facts.standbys !== '') return [];
  return [
    'The journal has no synchronous standby: when its server is lost, so is what was answered since the last copy. Set synchronous_standby_names.',
  ];
}
