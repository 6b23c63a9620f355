// What a journal in PostgreSQL asks of its database: single statements, and to be told when nobody knows how one ended.

export interface JournalDatabase {
  /** One statement in a transaction of its own. Rejects with `ConnectionLost` where it may or may not have been carried out. */
  query<Row>(statement: string, parameters: readonly unknown[]): Promise<readonly Row[]>;
}

export class ConnectionLost extends Error {
  readonly code = 'connection-lost';

  constructor(cause: unknown) {
    super(
      `The connection to the journal's database was lost (${cause instanceof Error ? cause.message : String(cause)}).`,
      {
        cause,
      },
    );
    this.name = 'ConnectionLost';
  }
}

/** `postgres://user:password@one:5432,two:5432/name` names two servers: one address for each. */
export function listServers(url: string): string[] {
  const parts = /^(?<scheme>\w+:\/\/(?:[^@/]*@)?)(?<hosts>[^/?]*)(?<rest>.*)$/.exec(url)?.groups;
  if (parts === undefined) return [url];
  return parts.hosts!.split(',').map((host) => `${parts.scheme}${host}${parts.rest}`);
}
