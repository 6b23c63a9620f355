// The state of each server that a shared journal's address names: primary, standby or unreachable.
import { type JournalDatabase, listServers, toSentParameters } from '@presage/journal';
import postgres from 'postgres';
import { UsageError } from '../exit-codes.ts';

export interface JournalServer {
  /** `host:port`, without credentials. */
  readonly server: string;
  readonly state: 'primary' | 'standby' | 'unreachable';
  readonly reason?: string;
}

interface FoundServer extends JournalServer {
  readonly url: string;
}

const CONNECT_SECONDS = 5;

export function connectJournal(url: string) {
  const sql = postgres(url, {
    max: 2,
    connect_timeout: CONNECT_SECONDS,
    onnotice: () => undefined,
    connection: { synchronous_commit: 'on' },
  });
  const database: JournalDatabase = {
    query: async <Row>(statement: string, parameters: readonly unknown[]) =>
      // `toSentParameters` leaves only types that PostgreSQL accepts.
      sql.unsafe<Row[]>(statement, toSentParameters(parameters) as never[]),
  };
  return { database, close: () => sql.end({ timeout: 1 }) };
}

/** Connects to the primary or, if `standbyToo` is set and there is none, to a standby. */
export async function findJournal(url: string, { standbyToo }: { standbyToo: boolean }) {
  const found = await Promise.all(listServers(url).map(inspect));
  const answering = found.toSorted((a, b) => rank(a) - rank(b))[0];
  const isUsable = answering?.state === 'primary' || (standbyToo && answering?.state === 'standby');
  if (answering === undefined || !isUsable) throw new UsageError(describe(found), 'Start it, or correct the address.');
  const servers = found.map(({ url: _, ...server }) => server);
  return { ...connectJournal(answering.url), servers };
}

async function inspect(url: string): Promise<FoundServer> {
  const server = new URL(url).host;
  const { database, close } = connectJournal(url);
  try {
    const [row] = await database.query<{ standby: boolean }>('select pg_is_in_recovery() as standby', []);
    return { url, server, state: row?.standby ? 'standby' : 'primary' };
  } catch (error) {
    return { url, server, state: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    await close();
  }
}

function rank({ state }: JournalServer): number {
  return ['primary', 'standby', 'unreachable'].indexOf(state);
}

function describe(servers: readonly JournalServer[]): string {
  const each = servers.map(
    ({ server, state, reason }) => `${server} is ${state === 'standby' ? 'a standby' : `${state} (${reason})`}`,
  );
  return `No server of the journal accepts writes: ${each.join(', ')}.`;
}
