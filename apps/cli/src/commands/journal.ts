// `presage journal`: verifies, dumps and tails the journal, with or without a running service, and copies it elsewhere.

import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type AdoptingJournal,
  type CopyProgress,
  copyJournal,
  FileJournal,
  isPartitionName,
  JournalCorrupt,
  listPartitions,
  PostgresJournal,
  type VerifyReport,
  verifyJournal,
} from '@presage/journal';
import { RecordInvalid } from '@presage/protocol';
import { type Call, type CommandSpec, command, option, required } from '../command-spec.ts';
import { interruption } from '../context.ts';
import { UnsoundError, UsageError } from '../exit-codes.ts';
import { drawPlaced } from '../journal/draw-record.ts';
import { type DataDirOption, JournalDir } from '../journal/journal-dir.ts';
import { findJournal } from '../journal/journal-servers.ts';
import type { Column } from '../table.ts';
import { parseWhole } from '../values.ts';

interface DumpOptions extends DataDirOption {
  readonly from: string;
  readonly to?: string;
  readonly type?: string;
}

interface TailOptions extends DataDirOption {
  readonly lines: string;
  readonly follow?: true;
}

interface CopyOptions {
  readonly from: string;
  readonly to: string;
}

type Verdict = { readonly partition: string; readonly sound: boolean; readonly fault?: string } & Partial<VerifyReport>;

const COLUMNS: readonly Column<Verdict>[] = [
  { title: 'PARTITION', cell: ({ partition }) => partition },
  { title: 'RECORDS', cell: ({ records }) => String(records ?? '-'), isFigure: true },
  { title: 'FRAMES', cell: ({ frames }) => String(frames ?? '-'), isFigure: true },
  { title: 'TORN', cell: ({ tornBytes }) => String(tornBytes ?? '-'), isFigure: true },
  { title: 'HEAD', cell: ({ headHash }) => headHash?.slice(0, 16) ?? '-' },
  { title: 'VERDICT', cell: ({ fault }) => fault ?? 'sound' },
];

export const DATA_DIR = option('--data-dir <dir>', 'data directory of the service (PRESAGE_DATA_DIR, else ./data)');

export const JOURNAL: CommandSpec = {
  name: 'journal',
  text: 'check, show, follow and copy the journal, without changing it',
  commands: [
    command('verify [partition]', 'check every frame and every record from end to end', verify, DATA_DIR),
    command(
      'dump [partition]',
      'show the records, oldest first',
      dump,
      DATA_DIR,
      option('--from <seq>', 'first record', '1'),
      option('--to <seq>', 'last record'),
      option('--type <type>', 'only records of this type'),
    ),
    command(
      'tail [partition]',
      'show the last records',
      tail,
      DATA_DIR,
      option('-n, --lines <count>', 'number of records of each partition', '10'),
      option('-f, --follow', 'keep showing new records until Ctrl-C'),
    ),
    command(
      'copy',
      'copy the journal of a stopped service from its files into PostgreSQL, or back; resumes an earlier copy',
      copy,
      required('--from <place>', 'source: a data directory, or postgres://user:password@host:port/database'),
      required('--to <place>', 'target of the same kind: empty, or with an earlier copy'),
    ),
  ],
};

async function copy({ context, options }: Call<CopyOptions>): Promise<void> {
  const { output } = context;
  const [from, to] = [await openPlace(options.from), await openPlace(options.to)];
  try {
    const copied: { partition: string; records: number; headHash: string }[] = [];
    for (const partition of await from.list()) {
      const progress = ({ doneSeq, lastSeq }: CopyProgress) => output.note(`${partition}: ${doneSeq} of ${lastSeq}`);
      const { lastSeq, headHash } = await copyPartition(from, to, { partition, progress });
      copied.push({ partition, records: lastSeq, headHash });
    }
    if (copied.length === 0)
      throw new UsageError(
        `there is no journal in ${options.from}`,
        'Name a data directory or a database with --from.',
      );
    output.show({ copied }, () => `Copied ${copied.length} partitions; the heads are equal on both sides.`);
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

async function verify({ context, args: [partition], options }: Call<DataDirOption>): Promise<void> {
  const journal = await JournalDir.open(options, context.env);
  const verdicts: Verdict[] = [];
  for (const each of journal.choose(partition)) verdicts.push(await judge(journal, each));
  const sound = verdicts.every((verdict) => verdict.sound);
  const found = { dir: journal.dir, sound, partitions: verdicts };
  context.output.showTable(found, { columns: COLUMNS, rows: verdicts, empty: '' });
  if (!sound) throw new UnsoundError('the journal is damaged');
}

async function judge(journal: JournalDir, partition: string): Promise<Verdict> {
  try {
    const report = await verifyBesideWriter(journal.pathOf(partition));
    for await (const _placed of journal.read(partition)) {
      // Reading decodes each record and checks its shape.
    }
    return { ...report, partition, sound: true };
  } catch (error) {
    if (!(error instanceof JournalCorrupt || error instanceof RecordInvalid)) throw error;
    return { partition, sound: false, fault: error.message };
  }
}

/** While the service writes, a frame may look torn for a moment; only a fault that stays is damage. */
async function verifyBesideWriter(dir: string): Promise<VerifyReport> {
  for (let suspect = ''; ; ) {
    try {
      return await verifyJournal(dir);
    } catch (error) {
      if (!(error instanceof JournalCorrupt) || suspect === `${error.file} ${error.offset}`) throw error;
      suspect = `${error.file} ${error.offset}`;
    }
  }
}

async function dump({ context, args: [partition], options }: Call<DumpOptions>): Promise<void> {
  const journal = await JournalDir.open(options, context.env);
  const from = parseWhole('--from', options.from, 1);
  const to = options.to === undefined ? Number.POSITIVE_INFINITY : parseWhole('--to', options.to, 1);
  for (const each of journal.choose(partition)) {
    for await (const placed of journal.read(each, from)) {
      if (placed.seq > to) break;
      if (options.type === undefined || placed.record.type === options.type) {
        context.output.show(placed, () => drawPlaced(placed));
      }
    }
  }
}

async function tail({ context, args: [partition], options }: Call<TailOptions>): Promise<void> {
  const journal = await JournalDir.open(options, context.env);
  const count = parseWhole('--lines', options.lines, 1);
  const signal = interruption();
  const tails = journal.choose(partition).map(async (each) => {
    const { lastSeq } = await verifyBesideWriter(journal.pathOf(each));
    const from = Math.max(1, lastSeq - count + 1);
    const records = options.follow ? journal.follow(each, from, signal) : journal.read(each, from);
    for await (const placed of records) context.output.show(placed, () => drawPlaced(placed));
  });
  await Promise.all(tails);
}

interface JournalPlace {
  list(): Promise<readonly string[]>;
  open(partition: string): Promise<AdoptingJournal>;
  close(): Promise<void>;
}

async function openPlace(place: string): Promise<JournalPlace> {
  return /^postgres(ql)?:\/\//.test(place) ? openDatabase(place) : openFiles(resolve(place));
}

/** Also finds the journal of a sandbox, which keeps its chain next to the service. */
async function openFiles(root: string): Promise<JournalPlace> {
  const ofSandbox = join(root, 'service', 'journal');
  const isSandbox = (await readdir(ofSandbox).catch(() => [])).length > 0;
  const dir = isSandbox ? ofSandbox : join(root, 'journal');
  return {
    list: async () => (await readdir(dir).catch(() => [])).filter(isPartitionName).sort(),
    open: (partition) => FileJournal.open({ dir: join(dir, partition), partition }),
    close: async () => undefined,
  };
}

async function openDatabase(url: string): Promise<JournalPlace> {
  const { database, close } = await findJournal(url, { standbyToo: false });
  const address = `presage journal copy on ${hostname()}`;
  return {
    list: () => listPartitions(database),
    open: (partition) => PostgresJournal.open({ database, partition, address }),
    close,
  };
}

interface CopiedPartition {
  readonly lastSeq: number;
  readonly headHash: string;
}

async function copyPartition(
  from: JournalPlace,
  to: JournalPlace,
  { partition, progress }: { partition: string; progress: (progress: CopyProgress) => void },
): Promise<CopiedPartition> {
  const source = await from.open(partition);
  try {
    const target = await to.open(partition);
    try {
      await copyJournal(source, target, progress);
      const { lastSeq, headHash } = target;
      return { lastSeq, headHash };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
