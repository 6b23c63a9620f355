// The table in which nodes find each other: who is alive by the database's clock, where they listen, what they do.
import { createTables, type JournalDatabase } from './database.ts';

export interface ClusterNode {
  /** Where it answers HTTP; leases are held under this name. */
  readonly address: string;
  /** `host:port` where other nodes call it. */
  readonly linkAddress: string;
  /** What it does: gateway, engine, settler. */
  readonly roles: readonly string[];
  /** How far each partition has been applied there. */
  readonly positions: Readonly<Record<string, number>>;
}

const CREATE = `create table if not exists cluster_nodes (
  address text primary key, link_address text not null, roles text not null, positions text not null, seen timestamptz not null)`;

const BEAT = `insert into cluster_nodes (address, link_address, roles, positions, seen)
  values ($1, $2, $3, $4, clock_timestamp())
  on conflict (address) do update set link_address = excluded.link_address, roles = excluded.roles,
    positions = excluded.positions, seen = excluded.seen`;

const READ = `select address, link_address, roles, positions from cluster_nodes
  where seen > clock_timestamp() - $1 * interval '1 millisecond' order by address`;

const LEAVE = 'delete from cluster_nodes where address = $1';

/** What has been silent for long is of no use to anybody. */
const SWEEP = `delete from cluster_nodes where seen < clock_timestamp() - interval '1 day'`;

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
    await createTables(database, [CREATE]);
    await database.query(SWEEP, []);
    return new NodeTable(database);
  }

  async beat({ address, linkAddress, roles, positions }: ClusterNode): Promise<void> {
    await this.#database.query(BEAT, [address, linkAddress, roles.join(','), JSON.stringify(positions)]);
  }

  async leave(address: string): Promise<void> {
    await this.#database.query(LEAVE, [address]);
  }

  list(withinMs: number): Promise<ClusterNode[]> {
    return readNodes(this.#database, withinMs);
  }
}

/** The nodes that gave a sign of life within that time. Changes nothing, so a standby server can be asked, too. */
export async function readNodes(database: JournalDatabase, withinMs: number): Promise<ClusterNode[]> {
  const rows = await database.query<NodeRow>(READ, [withinMs]);
  return rows.map(({ address, link_address, roles, positions }) => ({
    address,
    linkAddress: link_address,
    roles: roles.split(','),
    positions: JSON.parse(positions),
  }));
}
