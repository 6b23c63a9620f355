// Opens the service's database: the one at a given address, or the embedded one.
import { randomUUID } from 'node:crypto';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { ConnectionPool } from './connection-pool.ts';
import { DatabaseProbe } from './database-probe.ts';
import { loadViewSchema } from './schema.ts';

export { openJournalDatabase } from './journal-database.ts';

interface OpenStoreOptions {
  /** Address of the database; the embedded server is started if it is absent. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** Number of further processes of this service that use the database. */
  readonly lanes?: number;
  /** Whether this process only reads for the service that owns the database. */
  readonly isLane?: boolean;
  /** Receives one sentence per reported step. */
  readonly onProgress?: (step: string) => void;
  /** Interval of probes; tests use a shorter one. */
  readonly lookMs?: number;
  /** Called when the embedded server starts or recovers and needs nothing of this process meanwhile. */
  readonly onLaunched?: () => void;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Connections for queries, beside one for the probe: the embedded server allows 32. */
const POOL_SIZE = 10;
const DRAIN_SECONDS = 5;
/**
 * Session names of services, with a random id per process. Lanes have another name, since they are no other service.
 */
const SESSION = 'presage view';
const LANE_SESSION = 'presage lane';

/** `launched` resolves once the embedded server starts up by itself, or at once if another server is used. */
export function startStore(options: Omit<OpenStoreOptions, 'onLaunched'>): {
  readonly opened: Promise<Store>;
  readonly launched: Promise<void>;
} {
  let onLaunched = (): void => undefined;
  const launched = new Promise<void>((resolve) => {
    onLaunched = resolve;
  });
  const opened = openStore({ ...options, onLaunched });
  // The failure is reported where the store is used.
  opened.then(onLaunched, onLaunched);
  if (options.databaseUrl) onLaunched();
  return { opened, launched };
}

export async function openStore(options: OpenStoreOptions) {
  const { databaseUrl, dataDir, lanes = 0, isLane = false, onProgress = () => undefined, onLaunched, lookMs } = options;
  const moreConnections = lanes * (POOL_SIZE + 1);
  const embedding = { dataDir, moreConnections, log: onProgress, onLaunched };
  const embedded = databaseUrl ? undefined : await EmbeddedPostgres.open(embedding);
  const url = databaseUrl || (embedded?.url ?? '');
  const session = `${isLane ? LANE_SESSION : SESSION} ${randomUUID()}`;
  const settings = { application_name: session };
  const pool = new ConnectionPool(url, POOL_SIZE, { settings });
  const probed = new ConnectionPool(url, 1, { settings });
  const probe = new DatabaseProbe({ pool: probed, onSilence: () => pool.moveOn(), lookMs });
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
    /** Contains the password: never print it. */
    url,
    embedded: embedded !== undefined,
    /** Schema of the view in this database. */
    schema: loadViewSchema(),
    /** Drops all connections and moves on to the next server of the address. */
    moveOn: () => pool.moveOn(),
    /** Whether the database answers within a second. */
    isUp: probe.isUp,
    /** Whether other services have this database open; their sessions are `presage view ...` in `pg_stat_activity`. */
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

/** The address without its password, which may also be among its parameters. */
function describe(url: string): string {
  return url.replace(/^\w+:\/\/(?:[^/]*@)?/, '').replace(/\?.*/, '');
}
