// The daily archive: what each day has, that it follows from the journal alone, and that its positions are those of the hash chain.
import type { JournalRecord, MarketFacts } from '@presage/protocol';
import { eventFacts } from '@presage/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ArchiveFrame,
  type ArchivePiece,
  DailyArchive,
  type DayPositions,
  readPublishedFrames,
} from '../../src/archive/index.ts';
import { serve, signFrame, TestOperator } from '../verify/test-operator.ts';

const MINUTE_MS = 60_000;
/** The test operator begins on 2030-03-17 at 17:46:40. */
const DAYS = ['2030-03-17', '2030-03-18', '2030-03-20'] as const;

interface Day {
  trades: string;
  books: string;
  outcomes?: string;
  end?: DayPositions;
}

let operator: TestOperator;
let frames: ArchiveFrame[];

beforeAll(async () => {
  operator = await TestOperator.open();
  operator.list();
  const bid = operator.place('alice', 'buys', [480_000, 10_000_000]);
  operator.place('bob', 'sells', [520_000, 5_000_000]);
  operator.nowMs += MINUTE_MS;
  operator.place('carol', 'buys', [520_000, 2_000_000]);
  operator.nowMs += 20 * 60 * MINUTE_MS;
  operator.cancel(bid);
  // A day without any frame follows.
  operator.nowMs += 40 * 60 * MINUTE_MS;
  operator.place('dave', 'buys', [500_000, 1_000_000]);
  frames = await read();
});

async function read(): Promise<ArchiveFrame[]> {
  const fetch = serve(operator.show(), operator.engine);
  const found: ArchiveFrame[] = [];
  for await (const frame of readPublishedFrames('m0', { url: 'http://service', fetch })) found.push(frame);
  return found;
}

function archive(given: readonly ArchiveFrame[], finishBefore?: number): Record<string, Day> {
  const days: Record<string, Day> = {};
  const made = new DailyArchive();
  const take = (piece: ArchivePiece) => {
    const day = days[piece.day] ?? { trades: '', books: '' };
    days[piece.day] = day;
    if ('end' in piece) day.end = piece.end;
    else day[piece.file] = (day[piece.file] ?? '') + piece.text;
  };
  for (const frame of given) for (const piece of made.add(frame)) take(piece);
  if (finishBefore !== undefined) for (const piece of made.finish(finishBefore)) take(piece);
  return days;
}

const linesOf = (text: string) => text.split('\r\n').slice(1, -1);
/** Time, best levels of both sides of YES. */
const booksOf = (text: string) =>
  linesOf(text)
    .map((line) => line.split(','))
    .filter((cells) => cells[3] === 'YES')
    .map(([time = '', , , , bids, asks]) => [time.slice(5, 16), bids, asks]);

describe('a day of the archive', () => {
  it('has each of its trades with its place in the journal', () => {
    const days = archive(frames);
    const [trade = ''] = linesOf(days[DAYS[0]]?.trades ?? '');
    const [seq, time, event, , , outcome, side, price, size] = trade.split(',');
    expect([event, outcome, side, price, size]).toEqual(['matched', 'YES', 'buy', '520000', '2000000']);
    expect(time).toBe('2030-03-17T17:47:40.030Z');
    const record = frames.flatMap(({ records }) => records)[Number(seq) - 1];
    expect(record?.type).toBe('trade-matched');
    expect(linesOf(days[DAYS[1]]?.trades ?? '')).toEqual([]);
  });

  it('shows a book at the end of each minute in which it changed, and those that it begins with', () => {
    const days = archive(frames);
    expect(booksOf(days[DAYS[0]]?.books ?? '')).toEqual([
      ['03-17T17:47', '480000:10000000', '520000:5000000'],
      ['03-17T17:48', '480000:10000000', '520000:3000000'],
    ]);
    expect(booksOf(days[DAYS[1]]?.books ?? '')).toEqual([
      ['03-18T00:00', '480000:10000000', '520000:3000000'],
      ['03-18T13:48', '', '520000:3000000'],
    ]);
    expect(booksOf(days[DAYS[2]]?.books ?? '')[0]).toEqual(['03-20T00:00', '', '520000:3000000']);
  });

  it('names the event of each outcome that was listed on it, and has no such file otherwise', () => {
    const [first, second] = eventFacts(['Ann', 'Ben, "the" second']);
    const list = (market: MarketFacts, step: number): JournalRecord => {
      return { type: 'market-listed', timeMs: operator.nowMs, step, marketId: market.marketId, market };
    };
    const last = frames.at(-1)!;
    const records = [list(first!, 1), list(second!, 1)];
    const later = { ...last, firstSeq: last.lastSeq + 1, lastSeq: last.lastSeq + 2, records };
    const days = archive([...frames, later]);
    expect(DAYS.map((day) => linesOf(days[day]?.outcomes ?? '').length)).toEqual([0, 0, 2]);
    const { id, question } = first!.event!;
    const [head, line] = (days[DAYS[2]]?.outcomes ?? '').split('\r\n');
    expect(head).toBe('seq,time,marketId,eventId,index,count,name,question');
    expect(line).toBe(
      `${later.firstSeq},${new Date(operator.nowMs).toISOString()},${first!.marketId},${id},0,2,Ann,${question}`,
    );
    expect(days[DAYS[2]]?.outcomes).toContain(',1,2,"Ben, ""the"" second",');
  });

  it('ends with the first frame of a later day, or when another partition has one', () => {
    const ended = (days: Record<string, Day>) => DAYS.filter((day) => days[day]?.end !== undefined);
    expect(ended(archive(frames))).toEqual(DAYS.slice(0, 2));
    const today = Math.floor((frames.at(-1)?.timeMs ?? 0) / 86_400_000);
    expect(ended(archive(frames, today))).toEqual(DAYS.slice(0, 2));
    expect(ended(archive(frames, today + 1))).toEqual(DAYS);
  });

  it('names the frames that it follows from, each day behind the one before, as receipts name them', () => {
    const days = archive(frames);
    const [first, second] = [days[DAYS[0]]?.end, days[DAYS[1]]?.end];
    expect(first?.firstSeq).toBe(1);
    expect([second?.firstSeq, second?.previousHash]).toEqual([(first?.lastSeq ?? 0) + 1, first?.frameHash]);
    const { frames: sealed } = operator.show();
    const signed = sealed.map((_, index) => signFrame(sealed, index));
    expect(signed.find(({ lastSeq }) => lastSeq === second?.lastSeq)?.frameHash).toBe(second?.frameHash);
  });

  it('is the same however often it is computed, and another where a record is another', async () => {
    expect(archive(await read())).toEqual(archive(frames));
    const [, , sale, ...rest] = frames;
    const without = [...frames.slice(0, 2), ...rest];
    expect(sale).toBeDefined();
    expect(() => expect(archive(without)).toEqual(archive(frames))).toThrow();
  });
});

describe('the frames of a service', () => {
  it('are refused where their chain is broken', async () => {
    const shown = operator.show();
    const damaged = { ...shown, frames: shown.frames.filter((_, index) => index !== 2) };
    const fetch = serve(damaged, operator.engine);
    const reading = async () => {
      for await (const _frame of readPublishedFrames('m0', { url: 'http://service', fetch })) {
        // Nothing behind the gap is given out.
      }
    };
    await expect(reading()).rejects.toThrow(/should follow/);
  });
});
