// The table in which nodes find each other: which are alive by the database's clock, their addresses and roles.
import { createTables, type JournalDatabase } from './database.ts';
import { BEAT_NODE, FORGET_NODE, NODE_TABLES, READ_NODES, SWEEP_NODES } from './statements.ts';

export interface ClusterNode {
  /** HTTP address; leases are held under this name. */
  readonly address: string;
  /** `host:port` at which other nodes connect. */
  readonly linkAddress: string;
  /** Roles: gateway, engine, settler. */
  readonly roles: readonly string[];
  /** Sequence up to which it has applied each partition. */
  readonly positions: Readonly<Record<string, number>>;
}

interface NodeRow {
  readonly address: string;
  readonly link_address: string;
  readonly roles: string;
  readonly positions: string;
}

export class NodeTable {
  readonly #database: JournalDatabase;

  private constructor(database: JournalDatabase) {
    this.#database = database;
  }

  static async open(database: JournalDatabase): Promise<NodeTable> {
    await createTables(database, NODE_TABLES);
    await database.query(SWEEP_NODES, []);
    return new NodeTable(database);
  }

  async beat({ address, linkAddress, roles, positions }: ClusterNode): Promise<void> {
    await this.#database.query(BEAT_NODE, [address, linkAddress, roles.join(','), JSON.stringify(positions)]);
  }

  async leave(address: string): Promise<void> {
    await this.#database.query(FORGET_NODE, [address]);
  }

  list(withinMs: number): Promise<ClusterNode[]> {
    return readNodes(this.#database, withinMs);
  }
}

/** Nodes that reported within that time. Read-only, so a standby server can be queried, too. */
export async function readNodes(database: JournalDatabase, withinMs: number): Promise<ClusterNode[]> {
  const rows = await database.query<NodeRow>(READ_NODES, [withinMs]);
  return rows.map(({ address, link_address, roles, positions }) => ({
    address,
    linkAddress: link_address,
    roles: roles.split(','),
    positions: JSON.parse(positions),
  }));
}
