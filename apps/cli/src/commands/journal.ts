// `presage journal`: verifies, dumps and tails the journal, with or without a running service, and copies it elsewhere.
import { type CopyProgress, JournalCorrupt, type VerifyReport, verifyJournal } from '@presage/journal';
import { RecordInvalid } from '@presage/protocol';
import { type Command, Option } from 'commander';
import type { Act, Call } from '../act.ts';
import { UnsoundError, UsageError } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import { copyPartition, openPlace } from '../journal/copy-journal.ts';
import { drawPlaced } from '../journal/draw-record.ts';
import { type DataDirOption, JournalDir } from '../journal/journal-dir.ts';
import { type Column, drawTable } from '../table.ts';

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

export function dataDirOption(): Option {
  return new Option('--data-dir <dir>', 'where the service keeps its data (PRESAGE_DATA_DIR, else ./data)');
}

export function addJournal(program: Command, act: Act): void {
  const journal = program
    .command('journal')
    .description('check, show, follow and copy the journal; never changes what is there');
  journal
    .command('verify [partition]')
    .description('check every frame and every record from end to end')
    .addOption(dataDirOption())
    .action(act<DataDirOption>(verify));
  journal
    .command('dump [partition]')
    .description('show the records, oldest first')
    .addOption(dataDirOption())
    .option('--from <seq>', 'first record', '1')
    .option('--to <seq>', 'last record')
    .option('--type <type>', 'only records of a type')
    .action(act<DumpOptions>(dump));
  journal
    .command('tail [partition]')
    .description('show the last records')
    .addOption(dataDirOption())
    .option('-n, --lines <count>', 'how many of each partition', '10')
    .option('-f, --follow', 'go on with what is added, until Ctrl-C')
    .action(act<TailOptions>(tail));
  journal
    .command('copy')
    .description(
      'copy the journal of a stopped service from its files into PostgreSQL, or back; goes on where it ended',
    )
    .requiredOption('--from <place>', 'a data directory, or postgres://user:password@host:port/database')
    .requiredOption('--to <place>', 'the same; empty, or with an earlier copy')
    .action(act<CopyOptions>(copy));
}

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
    if (copied.length === 0) throw new UsageError(`there is no journal in ${options.from}`);
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
  const table = { columns: COLUMNS, rows: verdicts, empty: '' };
  context.output.show({ dir: journal.dir, sound, partitions: verdicts }, () => drawTable(table, context.output.colors));
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

/** While the service writes, a frame may look torn and be complete shortly after: only a lasting fault is damage. */
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
  const from = parseCount(options.from);
  const to = options.to === undefined ? Number.POSITIVE_INFINITY : parseCount(options.to);
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
  const count = parseCount(options.lines);
  const signal = interruption();
  const tails = journal.choose(partition).map(async (each) => {
    const { lastSeq } = await verifyBesideWriter(journal.pathOf(each));
    const from = Math.max(1, lastSeq - count + 1);
    const records = options.follow ? journal.follow(each, from, signal) : journal.read(each, from);
    for await (const placed of records) context.output.show(placed, () => drawPlaced(placed));
  });
  await Promise.all(tails);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`"${text}" is not a whole number above 0`);
}
