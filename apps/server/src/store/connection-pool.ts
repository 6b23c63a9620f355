// A connection pool that survives the loss of its server: queries in flight fail, later ones use new connections.
import { connect, type Socket } from 'node:net';
import { listServers } from '@presage/journal';
import postgres from 'postgres';
import { COLUMN_TYPES, type ColumnValues, type Sql, type TransactionSql } from './column-types.ts';

/*
 * The client (postgres 3.4.9) does not survive a connection lost inside a transaction: it writes the rollback into a
 * closed socket, which throws where nothing can catch it; and a connection that was lost once passes the old error to
 * its next query (issues 1133, 1216, 1223 and pull request 1215 of porsager/postgres). So after the loss of any
 * connection the whole pool is replaced: a lost connection counts as a lost server.
 */
export class ConnectionPool {
  /** Stays the same while the connections behind it are replaced. */
  readonly sql: Sql;
  /** Number of servers in the address. */
  readonly servers: number;
  readonly #open: () => Generation;
  #losses = 0;
  #generation: Generation;

  /** Tries the servers of an address one after the other; the caller finds out which one accepts writes. */
  constructor(url: string, size: number, { settings = {}, onNotice = () => undefined }: PoolExtras = {}) {
    // The client's own fallback between servers does not handle lost connections.
    const urls = listServers(url);
    this.servers = urls.length;
    this.#open = () => {
      const shape = { url: urls[this.#losses % urls.length]!, size, settings, onNotice };
      return new Generation(shape, () => this.#replace());
    };
    this.#generation = this.#open();
    this.sql = this.#makeSql();
  }

  /** How many times all connections were dropped. */
  get losses(): number {
    return this.#losses;
  }

  /** Drops all connections unless that has happened since `since`: the next query uses the next server. */
  moveOn(since = this.#losses): void {
    if (since === this.#losses) this.#generation.lose();
  }

  /** Gives queries in flight this long to finish. */
  async close(timeoutSeconds: number): Promise<void> {
    await this.#generation.end(timeoutSeconds);
  }

  #replace(): void {
    this.#losses++;
    this.#generation = this.#open();
  }

  #makeSql(): Sql {
    const begin = (...args: BeginArguments) => this.#generation.begin(...args);
    return new Proxy(this.#generation.sql, {
      apply: (_, self, args) => Reflect.apply(this.#generation.sql, self, args),
      get: (_, key) => (key === 'begin' ? begin : Reflect.get(this.#generation.sql, key)),
    });
  }
}

interface PoolExtras {
  /** Settings of every connection. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives notices and warnings of the server. */
  readonly onNotice?: (notice: postgres.Notice) => void;
}

interface PoolShape extends Required<PoolExtras> {
  readonly url: string;
  readonly size: number;
}

/** The client's default of 30 s would outlast a short network failure and delay the attempt at the next server. */
const CONNECT_SECONDS = 5;
const DEFAULT_PORT = 5_432;

type Work = (sql: TransactionSql) => unknown;
type BeginArguments = [work: Work] | [options: string, work: Work];

interface ServerAddress {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Socket file of a local server. */
  readonly path: string | false;
}

/**
 * Disables Nagle's algorithm: a statement in two packets, like every COPY, would wait 40 ms for the delayed
 * acknowledgement of the first. The client writes at once; the socket buffers until it is connected. `host` is the name
 * that certificates are compared with.
 */
function connectWithoutDelay({ host: [host = ''], port: [port = 0], path }: ServerAddress): Socket {
  const socket = path ? connect(path) : connect({ host, port, noDelay: true });
  return Object.assign(socket, { host, port });
}

/**
 * Works around the client's reading of `[::1]:5432` as a host called `[`; its types do not declare the lists that it
 * accepts.
 */
function literalHost(url: string): object {
  const { hostname, port } = new URL(url);
  return hostname.startsWith('[') ? { host: [hostname.slice(1, -1)], port: [Number(port || DEFAULT_PORT)] } : {};
}

/** The connections between two losses. */
class Generation {
  readonly sql: Sql;
  readonly #pool: postgres.Sql<ColumnValues>;
  readonly #onLost: () => void;
  #isLost = false;
  #isEnding = false;

  constructor({ url, size, settings, onNotice }: PoolShape, onLost: () => void) {
    this.#onLost = onLost;
    const pool = postgres(url, {
      ...literalHost(url),
      max: size,
      types: COLUMN_TYPES,
      fetch_types: false,
      // A connection retired by age could not be distinguished from a lost one.
      max_lifetime: null,
      connect_timeout: CONNECT_SECONDS,
      connection: { application_name: 'presage', ...settings },
      onnotice: onNotice,
      onclose: () => this.lose(),
      // An option of the client that its types do not declare.
      ...{ socket: (address: ServerAddress) => this.#connect(address) },
    });
    this.#pool = pool;
    this.sql = pool;
  }

  begin(...args: BeginArguments): Promise<unknown> {
    const [options, work] = args.length === 1 ? ['', args[0]] : args;
    return this.#pool.begin(options, (transaction) => this.#run(work, transaction));
  }

  async end(timeoutSeconds: number): Promise<void> {
    this.#isEnding = true;
    await this.#pool.end({ timeout: timeoutSeconds });
  }

  lose(): void {
    if (this.#isLost || this.#isEnding) return;
    this.#isLost = true;
    this.#onLost();
    void this.#pool.end({ timeout: 0 });
  }

  /**
   * Refuses after a loss: the client would reconnect immediately and forever to a server that closes connections early,
   * like a proxy without a backend.
   */
  #connect(address: ServerAddress): Socket {
    if (this.#isLost) throw Object.assign(new Error('the server closes connections'), { code: 'CONNECTION_CLOSED' });
    return connectWithoutDelay(address).once('close', () => this.lose());
  }

  /** Never settles once the connection is lost, so that no rollback is sent; `begin` itself gets the error. */
  #run(work: Work, transaction: TransactionSql): Promise<unknown> {
    const outcome = (async () => {
      const result = work(this.#guard(transaction));
      return Array.isArray(result) ? Promise.all(result) : result;
    })();
    return new Promise((resolve, reject) => {
      const unlessLost = (settle: (value: unknown) => void) => (value: unknown) => {
        if (!this.#isLost) settle(value);
      };
      outcome.then(unlessLost(resolve), unlessLost(reject));
    });
  }

  #guard(transaction: TransactionSql): TransactionSql {
    const savepoint = (...args: BeginArguments) => {
      const [name, work] = args.length === 1 ? [undefined, args[0]] : args;
      const run = (inner: TransactionSql) => this.#run(work, inner);
      return name === undefined ? transaction.savepoint(run) : transaction.savepoint(name, run);
    };
    return new Proxy(transaction, {
      apply: (target, self, args) => Reflect.apply(this.#unlessLost(target), self, args),
      get: (target, key) => (key === 'savepoint' ? savepoint : Reflect.get(this.#unlessLost(target), key)),
    });
  }

  #unlessLost<T>(target: T): T {
    if (this.#isLost) throw new Error('The connection of this transaction was lost.');
    return target;
  }
}
