// Opens the service's database: the one at a given address, or the embedded one.
import { randomUUID } from 'node:crypto';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import type { Sql } from './column-types.ts';
import { ConnectionPool } from './connection-pool.ts';
import { HealthProbe } from './health-probe.ts';
import { loadViewSchema, type ViewSchema } from './schema.ts';

export { openJournalDatabase } from './journal-database.ts';

export interface OpenStoreOptions {
  /** The embedded server is started if it is missing. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** One sentence for each step worth showing. */
  readonly onProgress?: (step: string) => void;
}

export interface Store {
  readonly sql: Sql;
  /** Contains the password: never print it. */
  readonly url: string;
  readonly embedded: boolean;
  /** The tables that the view has in it. */
  readonly schema: ViewSchema;
  /** Drops all connections and moves on to the next server of the address. */
  moveOn(): void;
  /** Whether it answers within a second. */
  isUp(): Promise<boolean>;
  /** Whether other services have opened this database; their sessions are `presage view ...` in `pg_stat_activity`. */
  hasOthers(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connections for queries, beside one for the health probe: the embedded server allows 32. */
const POOL_SIZE = 10;
const DRAIN_SECONDS = 5;
/** How the sessions of services are named, each with an id of its process. */
const SESSION = 'presage view';

export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { databaseUrl, dataDir, onProgress = () => undefined } = options;
  const embedded = databaseUrl ? undefined : await EmbeddedPostgres.open({ dataDir, log: onProgress });
  const url = databaseUrl || (embedded?.url ?? '');
  const session = `${SESSION} ${randomUUID()}`;
  const settings = { application_name: session };
  const pool = new ConnectionPool(url, POOL_SIZE, { settings });
  const probe = new HealthProbe(new ConnectionPool(url, 1, { settings }));
  const close = async () => {
    await Promise.all([pool.close(DRAIN_SECONDS), probe.close()]);
    await embedded?.close();
  };
  await findServer(pool).catch(async (error: Error) => {
    await close();
    const remedy = databaseUrl ? ' Start it, or correct PRESAGE_DATABASE_URL.' : '';
    throw new Error(`The database at ${describe(url)} does not answer: ${error.message}.${remedy}`, { cause: error });
  });
  return {
    sql: pool.sql,
    url,
    embedded: embedded !== undefined,
    schema: loadViewSchema(),
    moveOn: () => pool.moveOn(),
    isUp: () => probe.isUp(),
    hasOthers: async () => {
      const others = await pool.sql`select 1 from pg_stat_activity where datname = current_database()
        and application_name like ${`${SESSION} %`} and application_name <> ${session} limit 1`;
      return others.length > 0;
    },
    close,
  };
}

/** Connects to the first server of the address that answers. */
async function findServer(pool: ConnectionPool): Promise<void> {
  for (let left = pool.servers; ; left--) {
    const { losses } = pool;
    try {
      await pool.sql`select 1`;
      return;
    } catch (error) {
      if (left <= 1) throw error;
      pool.moveOn(losses);
    }
  }
}

/** Without the password. */
function describe(url: string): string {
  return url.replace(/^\w+:\/\/(?:[^@/]*@)?/, '');
}
