// `presage cluster`: which nodes share a journal, who owns which partition, and how far behind each of them is.
import { type ClusterNode, type LeaseHolder, readLeases, readNodes } from '@presage/journal';
import { type Call, type CommandSpec, command, option } from '../command-spec.ts';
import { UsageError } from '../exit-codes.ts';
import { findJournal, type JournalServer } from '../journal/journal-servers.ts';
import { type Column, drawTable } from '../table.ts';

interface StatusOptions {
  readonly journalUrl?: string;
}

interface PartitionRow {
  readonly partition: string;
  /** Undefined while no node owns the partition. */
  readonly owner: string | undefined;
  readonly epoch: number;
  /** The highest sequence that any node has applied. */
  readonly head: number;
}

interface NodeRow {
  readonly node: string;
  readonly roles: readonly string[];
  readonly owns: readonly string[];
  /** Records that the node has not applied, in the partition where it is furthest behind. */
  readonly lag: number;
}

/** Nodes send three heartbeats per lease, and a lease lasts at most a minute. */
const SILENT_MS = 60_000;

/** SQLSTATE of PostgreSQL. */
const UNDEFINED_TABLE = '42P01';

const PARTITIONS: readonly Column<PartitionRow>[] = [
  { title: 'PARTITION', cell: ({ partition }) => partition },
  { title: 'OWNER', cell: ({ owner }) => owner ?? 'nobody' },
  { title: 'EPOCH', cell: ({ epoch }) => String(epoch), isFigure: true },
  { title: 'HEAD', cell: ({ head }) => String(head), isFigure: true },
];

const NODES: readonly Column<NodeRow>[] = [
  { title: 'NODE', cell: ({ node }) => node },
  { title: 'ROLES', cell: ({ roles }) => roles.join(',') },
  { title: 'OWNS', cell: ({ owns }) => owns.join(' ') || '-' },
  { title: 'LAG', cell: ({ lag }) => String(lag), isFigure: true },
];

const SERVERS: readonly Column<JournalServer>[] = [
  { title: 'SERVER', cell: ({ server }) => server },
  { title: 'STATE', cell: ({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`) },
];

export const CLUSTER: CommandSpec = {
  name: 'cluster',
  text: 'inspect the nodes that share a journal',
  commands: [
    command(
      'status',
      'show the owner of each partition and the lag of each node',
      status,
      option('--journal-url <url>', 'postgres://user:password@host:port/database (PRESAGE_JOURNAL_URL)'),
    ),
  ],
};

async function status({ context, options }: Call<StatusOptions>): Promise<void> {
  const url = options.journalUrl ?? context.env.PRESAGE_JOURNAL_URL;
  if (url === undefined || url === '')
    throw new UsageError('no shared journal is named', 'Name it with --journal-url or PRESAGE_JOURNAL_URL.');
  const { database, servers, close } = await findJournal(url, { standbyToo: true });
  try {
    const found = await unlessNew(readNodes(database, SILENT_MS));
    const leases = await unlessNew(readLeases(database));
    const partitions = leases.map((lease) => toPartitionRow(lease, found));
    const nodes = found.map((node) => toNodeRow(node, partitions));
    const { output } = context;
    output.show({ servers, nodes, partitions }, () =>
      [
        drawTable({ columns: SERVERS, rows: servers, empty: '' }, output.colors),
        ...toWarnings(servers),
        drawTable(
          { columns: NODES, rows: nodes, empty: 'No node has sent a heartbeat within a minute.' },
          output.colors,
        ),
        drawTable({ columns: PARTITIONS, rows: partitions, empty: 'There is no partition yet.' }, output.colors),
      ].join('\n\n'),
    );
  } finally {
    await close();
  }
}

/** Returns no rows if the tables are missing: no node has used the database yet, and reading must not create them. */
async function unlessNew<T>(rows: Promise<readonly T[]>): Promise<readonly T[]> {
  return rows.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return [];
    throw error;
  });
}

function toWarnings(servers: readonly JournalServer[]): string[] {
  const primaries = servers.filter(({ state }) => state === 'primary').length;
  if (primaries === 0) return ['No server accepts writes: promote the standby, or start the primary.'];
  return primaries > 1 ? ['More than one server accepts writes: stop the one that was replaced.'] : [];
}

function toPartitionRow(
  { partition, address, epoch, heldMs }: LeaseHolder,
  nodes: readonly ClusterNode[],
): PartitionRow {
  const head = Math.max(0, ...nodes.map(({ positions }) => positions[partition] ?? 0));
  return { partition, owner: heldMs > 0 ? address : undefined, epoch, head };
}

function toNodeRow({ address, roles, positions }: ClusterNode, partitions: readonly PartitionRow[]): NodeRow {
  const followed = partitions.filter(({ partition }) => positions[partition] !== undefined);
  const lags = followed.map(({ partition, head }) => head - (positions[partition] ?? 0));
  const owns = partitions.filter(({ owner }) => owner === address).map(({ partition }) => partition);
  return { node: address, roles, owns, lag: Math.max(0, ...lags) };
}
