// The database interface of the journal in PostgreSQL: single statements, with a separate error if their outcome is
// unknown.
import { codeOf, messageOf } from '@presage/runtime';

export interface JournalDatabase {
  /** One statement in its own transaction; parameters pass through `toSentParameters`. Rejects with `ConnectionLost` if it may or may not have been executed. */
  query<Row>(statement: string, parameters: readonly unknown[]): Promise<readonly Row[]>;
}

export class ConnectionLost extends Error {
  readonly code = 'connection-lost';

  constructor(cause: unknown) {
    super(`The connection to the journal's database was lost (${messageOf(cause)}).`, { cause });
    this.name = 'ConnectionLost';
  }
}

/** `postgres://user:password@one:5432,two:5432/name` names two servers: returns one URL for each. */
export function listServers(url: string): string[] {
  const parts = /^(?<scheme>\w+:\/\/(?:[^@/]*@)?)(?<hosts>[^/?]*)(?<rest>.*)$/.exec(url)?.groups;
  if (parts === undefined) return [url];
  return parts.hosts!.split(',').map((host) => `${parts.scheme}${host}${parts.rest}`);
}

/** Parameters in the form that PostgreSQL's clients take: a list becomes the text of an array. */
export function toSentParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (Array.isArray(value) ? `{${value.map(toItem).join(',')}}` : value));
}

/** Bytes use the server's own notation. */
function toItem(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array)
    return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`;
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}

/**
 * `if not exists` checks first and creates then: of two concurrent statements one may fail with any of these codes, and
 * finds the table on a retry.
 */
const MADE_MEANWHILE = new Set<unknown>(['23505', '42710', '42P07']);
const TRIES = 5;

/** Tables already created through a database: every partition needs them, and checking each time would query a distant server. */
const CREATED = new WeakMap<JournalDatabase, Map<readonly string[], Promise<void>>>();

/** Creates tables if missing, also while other nodes do the same at their first start. Runs once per database in this process. */
export function createTables(database: JournalDatabase, statements: readonly string[]): Promise<void> {
  const created = CREATED.get(database) ?? new Map<readonly string[], Promise<void>>();
  CREATED.set(database, created);
  const known = created.get(statements);
  if (known !== undefined) return known;
  const creating = createAll(database, statements).catch((error: unknown) => {
    created.delete(statements);
    throw error;
  });
  created.set(statements, creating);
  return creating;
}

async function createAll(database: JournalDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await create(database, statement);
}

async function create(database: JournalDatabase, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await database.query(statement, []);
      return;
    } catch (error) {
      if (tries === TRIES || !MADE_MEANWHILE.has(codeOf(error))) throw error;
    }
  }
}
