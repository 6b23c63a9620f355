// A pool of connections that outlives the server: what was under way fails, what comes after gets fresh connections.
import { connect, type Socket } from 'node:net';
import { listServers } from '@presage/journal';
import postgres from 'postgres';
import { COLUMN_TYPES, type ColumnValues, type Sql, type TransactionSql } from './column-types.ts';

/*
 * The client (postgres 3.4.9) does not survive a connection that is lost inside a transaction: it writes the rollback into a
 * socket that is closed, which throws where it cannot be caught; and a connection that was lost once hands the old error to
 * its next query (issues 1133, 1216, 1223 and pull request 1215 of porsager/postgres). So nothing of a pool is used again
 * after any of its connections was lost: a lost connection is taken for a lost server.
 */
export class ConnectionPool {
  /** Stays the same while the connections behind it are replaced. */
  readonly sql: Sql;
  /** How many servers the address names. */
  readonly servers: number;
  readonly #open: () => Generation;
  #losses = 0;
  #generation: Generation;

  /** An address with several servers is tried from one to the next: which takes writes is for the caller to find. */
  constructor(url: string, size: number, { settings = {}, onNotice = () => undefined }: PoolExtras = {}) {
    // The client's own way of trying several servers knows no lost ones.
    const urls = listServers(url);
    this.servers = urls.length;
    this.#open = () => {
      const shape = { url: urls[this.#losses % urls.length]!, size, settings, onNotice };
      return new Generation(shape, () => this.#replace());
    };
    this.#generation = this.#open();
    this.sql = this.#makeSql();
  }

  /** How often all connections were dropped. */
  get losses(): number {
    return this.#losses;
  }

  /** Drops all connections unless that was done since: the next query goes to the next server. */
  moveOn(since = this.#losses): void {
    if (since === this.#losses) this.#generation.lose();
  }

  /** Lets queries under way finish for this long. */
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
  /** Hold for every connection. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What a server says beside its answers. */
  readonly onNotice?: (notice: postgres.Notice) => void;
}

interface PoolShape extends Required<PoolExtras> {
  readonly url: string;
  readonly size: number;
}

/** The client's own 30 s would outlast a network that was cut for a moment, and hold up the look at the next server. */
const CONNECT_SECONDS = 5;
const DEFAULT_PORT = 5_432;

type Work = (sql: TransactionSql) => unknown;
type BeginArguments = [work: Work] | [options: string, work: Work];

interface ServerAddress {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Socket file of a server on this machine. */
  readonly path: string | false;
}

/**
 * A statement in two packets, as every COPY is, would wait 40 ms for the second: Nagle's algorithm keeps it back until the
 * first is acknowledged, which the server's kernel delays. The client starts at once; the socket keeps what it writes until it
 * is connected. `host` is the name that a certificate is compared with.
 */
function connectWithoutDelay({ host: [host = ''], port: [port = 0], path }: ServerAddress): Socket {
  const socket = path ? connect(path) : connect({ host, port, noDelay: true });
  return Object.assign(socket, { host, port });
}

/** The client reads `[::1]:5432` as a host called `[`; its types do not name the lists that it takes. */
function literalHost(url: string): object {
  const { hostname, port } = new URL(url);
  return hostname.startsWith('[') ? { host: [hostname.slice(1, -1)], port: [Number(port || DEFAULT_PORT)] } : {};
}

/** The connections from one loss to the next. */
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
      // A connection retired for its age could not be distinguished from a lost one.
      max_lifetime: null,
      connect_timeout: CONNECT_SECONDS,
      connection: { application_name: 'presage', ...settings },
      onnotice: onNotice,
      onclose: () => this.lose(),
      // An option of the client that its types do not name.
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

  /** To a server that closes connections before they are ready, as a proxy without one behind it does, the client would connect at once again and for ever. */
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
