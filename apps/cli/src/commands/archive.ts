// `presage archive`: daily files of trades and books for backtesting, computed from the journal; existing days are compared with it.
import { resolve } from 'node:path';
import { DailyArchive } from '@presage/sdk/archive';
import { ArchiveDays, type DayOutcome } from '../archive/archive-days.ts';
import { type Call, command, option, required } from '../command-spec.ts';
import { UnsoundError } from '../exit-codes.ts';
import type { DataDirOption } from '../journal/journal-dir.ts';
import { type MarketFrames, openMarketFrames } from '../journal/market-frames.ts';
import type { Column } from '../table.ts';

interface ArchiveOptions extends DataDirOption {
  readonly out: string;
  readonly check?: true;
}

const COLUMNS: readonly Column<DayOutcome>[] = [
  { title: 'DAY (UTC)', cell: ({ day }) => day },
  { title: 'ARCHIVE', cell: ({ outcome, detail }) => (detail === undefined ? outcome : `${outcome}: ${detail}`) },
];

export const ARCHIVE = command(
  'archive',
  'write trades and books of every finished day to files, computed from the public journal; compare existing days',
  makeArchive,
  required('--out <dir>', 'folder of the archive, with a folder for each day'),
  option('--data-dir <dir>', 'read the journal of a data folder instead of the service'),
  option('--check', 'compare existing days and write nothing'),
);

async function makeArchive({ context, options }: Call<ArchiveOptions>): Promise<void> {
  const { check = false, out } = options;
  const days = new ArchiveDays(resolve(out), { isComparing: check });
  await fill(days, await openMarketFrames(context, options));
  const outcomes = await days.close();
  const empty = 'no day is finished yet: the journal has no frame of a later day';
  context.output.showTable({ days: outcomes }, { columns: COLUMNS, rows: outcomes, empty });
  const isWrong = ({ outcome }: DayOutcome) => outcome === 'differs' || (check && outcome === 'missing');
  if (outcomes.some(isWrong)) throw new UnsoundError('the archive differs from the journal');
}

interface PartitionDays {
  readonly partition: string;
  readonly archive: DailyArchive;
  /** Sequence of the last record added. */
  lastSeq: number;
}

/** Reads one partition after the other, which is possible because no market depends on another partition. */
async function fill(days: ArchiveDays, frames: MarketFrames): Promise<void> {
  const all = frames.partitions.map((partition) => ({ partition, archive: new DailyArchive(), lastSeq: 0 }));
  for (const each of all) await takeNew(days, frames, each);
  const lastDay = Math.max(...all.map(({ archive }) => archive.dayIndex ?? 0));
  for (const each of all) {
    // A partition read early may have got more frames of its last day; another one, read later, shows that the day is over.
    if ((each.archive.dayIndex ?? 0) < lastDay) await takeNew(days, frames, each);
    for (const piece of each.archive.finish(lastDay)) await days.take(each.partition, piece);
  }
}

async function takeNew(days: ArchiveDays, frames: MarketFrames, each: PartitionDays): Promise<void> {
  for await (const frame of frames.read(each.partition)) {
    if (frame.lastSeq <= each.lastSeq) continue;
    for (const piece of each.archive.add(frame)) await days.take(each.partition, piece);
    each.lastSeq = frame.lastSeq;
  }
}
