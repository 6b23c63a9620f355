// `presage cluster`: which nodes share a journal, who owns which partition, and how far behind each of them is.
import { type ClusterNode, type LeaseHolder, NodeTable, readLeases } from '@presage/journal';
import { type Command, Option } from 'commander';
import type { Act, Call } from '../act.ts';
import { UsageError } from '../exit-codes.ts';
import { connectJournal } from '../journal/copy-journal.ts';
import { type Column, drawTable } from '../table.ts';

interface StatusOptions {
  readonly journalUrl?: string;
}

interface PartitionRow {
  readonly partition: string;
  /** Undefined while nobody has it. */
  readonly owner: string | undefined;
  readonly epoch: number;
  /** As far as any node has applied it. */
  readonly head: number;
}

interface NodeRow {
  readonly node: string;
  readonly roles: readonly string[];
  readonly owns: readonly string[];
  /** Records that it has not applied, of the partition in which it is furthest behind. */
  readonly lag: number;
}

/** Nodes beat three times a lease, and a lease has at most a minute. */
const SILENT_MS = 60_000;

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

export function addCluster(program: Command, act: Act): void {
  const cluster = program.command('cluster').description('look at the nodes that share a journal');
  cluster
    .command('status')
    .description('who owns which partition, and how far behind each node is')
    .addOption(new Option('--journal-url <url>', 'postgres://user:password@host:port/database (PRESAGE_JOURNAL_URL)'))
    .action(act<StatusOptions>(status));
}

async function status({ context, options }: Call<StatusOptions>): Promise<void> {
  const url = options.journalUrl ?? context.env.PRESAGE_JOURNAL_URL;
  if (url === undefined || url === '') throw new UsageError('name the shared journal with --journal-url');
  const { database, close } = connectJournal(url);
  try {
    const found = await (await NodeTable.open(database)).list(SILENT_MS);
    const leases = await readLeases(database);
    const partitions = leases.map((lease) => toPartitionRow(lease, found));
    const nodes = found.map((node) => toNodeRow(node, partitions));
    const { output } = context;
    output.show({ nodes, partitions }, () =>
      [
        drawTable({ columns: NODES, rows: nodes, empty: 'No node has been heard of within a minute.' }, output.colors),
        drawTable({ columns: PARTITIONS, rows: partitions, empty: 'There is no partition yet.' }, output.colors),
      ].join('\n\n'),
    );
  } finally {
    await close();
  }
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
