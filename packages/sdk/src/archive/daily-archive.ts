// The public archive of one partition: trades and books by UTC day, as text that anyone can compute identically from
// the journal.
import { Engine } from '@presage/engine';
import {
  BUY,
  type Hex,
  isEngineEvent,
  type JournalRecord,
  type MarketId,
  NO,
  type Outcome,
  SELL,
  type Side,
  toChecksumAddress,
  toCsvLine,
  YES,
} from '@presage/protocol';
import type { ArchiveFrame } from './published-frames.ts';

export const ARCHIVE_FILES = ['trades', 'books', 'outcomes'] as const;
export type ArchiveFile = (typeof ARCHIVE_FILES)[number];

/** Frames of a day. A frame's day follows from its own time, which never decreases. */
export interface DayPositions {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Hash of the last frame before the day. */
  readonly previousHash: Hex;
  /** Hash of the day's last frame, the same that receipts, signed heads and anchors name. */
  readonly frameHash: Hex;
}

/** A piece of text for a file of a day, or the end of the day, after which no more text of it follows. */
export type ArchivePiece =
  | { readonly day: string; readonly file: ArchiveFile; readonly text: string }
  | { readonly day: string; readonly end: DayPositions };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Levels on each side of a book. */
const LEVELS = 10;

const TRADE_FIELDS = [
  ...['seq', 'time', 'event', 'marketId', 'tradeId', 'outcome', 'takerSide', 'price', 'size', 'maker', 'taker'],
  ...['makerOrder', 'takerOrder', 'fee', 'makerRebate'],
];
const BOOK_FIELDS = ['time', 'seq', 'marketId', 'outcome', 'bids', 'asks'];
const OUTCOME_FIELDS = ['seq', 'time', 'marketId', 'eventId', 'index', 'count', 'name', 'question'];

/** Takes the frames of a partition in order and yields the text of each day. */
export class DailyArchive {
  readonly #engine = new Engine();
  /** Markets whose books changed in the current minute, with the last record that changed them. */
  readonly #changed = new Map<MarketId, number>();
  #day: { index: number; positions: DayPositions; hasOutcomes: boolean } | undefined;
  #minute = 0;
  #frameHash: Hex = `0x${'0'.repeat(64)}`;

  /** Day of the newest frame, in days since 1970; undefined before the first. */
  get dayIndex(): number | undefined {
    return this.#day?.index;
  }

  /** Adds the next frame. The current minute and day end with the first frame after them. */
  *add(frame: ArchiveFrame): Generator<ArchivePiece> {
    const minute = Math.floor(frame.timeMs / MINUTE_MS);
    if (minute > this.#minute) yield* this.#endMinute();
    this.#minute = minute;
    yield* this.#reachDay(frame);
    const day = toDay(Math.floor(frame.timeMs / DAY_MS));
    let [text, outcomes] = ['', ''];
    for (const [index, record] of frame.records.entries()) {
      text += this.#apply(record, frame.firstSeq + index);
      if (record.type === 'market-listed') outcomes += toOutcomeLine(record, frame.firstSeq + index);
    }
    if (text !== '') yield { day, file: 'trades', text };
    if (outcomes !== '') yield { day, file: 'outcomes', text: this.#headOfOutcomes() + outcomes };
    this.#frameHash = frame.frameHash;
  }

  /**
   * Ends the current day if it is before the given one. Called when another partition has a frame of that day or a
   * later one.
   */
  *finish(beforeDay: number): Generator<ArchivePiece> {
    if (this.#day === undefined || this.#day.index >= beforeDay) return;
    yield* this.#endMinute();
    yield* this.#endDay();
  }

  *#reachDay({ timeMs, firstSeq, lastSeq, frameHash }: ArchiveFrame): Generator<ArchivePiece> {
    const index = Math.floor(timeMs / DAY_MS);
    const isNew = index !== this.#day?.index;
    if (isNew) yield* this.#endDay();
    const start = this.#day?.positions ?? { firstSeq, previousHash: this.#frameHash };
    this.#day = {
      index,
      hasOutcomes: this.#day?.hasOutcomes ?? false,
      positions: { firstSeq: start.firstSeq, previousHash: start.previousHash, lastSeq, frameHash },
    };
    if (!isNew) return;
    const day = toDay(index);
    yield { day, file: 'trades', text: toCsvLine(TRADE_FIELDS) };
    yield { day, file: 'books', text: toCsvLine(BOOK_FIELDS) + this.#openingBooks(index * DAY_MS, firstSeq - 1) };
  }

  /** Header of the file of outcomes, which exists only on days on which outcomes of events were listed. */
  #headOfOutcomes(): string {
    if (this.#day?.hasOutcomes !== false) return '';
    this.#day.hasOutcomes = true;
    return toCsvLine(OUTCOME_FIELDS);
  }

  *#endDay(): Generator<ArchivePiece> {
    if (this.#day === undefined) return;
    const { index, positions } = this.#day;
    this.#day = undefined;
    yield { day: toDay(index), end: positions };
  }

  /** Yields each book that changed in the minute, as it is at the end of the minute. */
  *#endMinute(): Generator<ArchivePiece> {
    if (this.#changed.size === 0) return;
    const timeMs = (this.#minute + 1) * MINUTE_MS;
    const lines = [...this.#changed].map(([marketId, seq]) => this.#bookLines(marketId, { timeMs, seq }));
    this.#changed.clear();
    yield { day: toDay(Math.floor((this.#minute * MINUTE_MS) / DAY_MS)), file: 'books', text: lines.join('') };
  }

  /** The lines that the record adds to the file of trades. */
  #apply(record: JournalRecord, seq: number): string {
    if (record.type === 'trade-revived') return toTradeLine(record, seq);
    if (!isEngineEvent(record)) return '';
    this.#engine.evolve(record);
    if (CHANGES_BOOKS.has(record.type)) {
      // Re-inserted, so that markets are in the order of their last change.
      this.#changed.delete(record.marketId);
      this.#changed.set(record.marketId, seq);
    }
    return record.type === 'trade-matched' || record.type === 'trade-failed' ? toTradeLine(record, seq) : '';
  }

  /** Books with orders at the start of the day, so that a day can be read without earlier ones. */
  #openingBooks(timeMs: number, seq: number): string {
    const held = this.#engine.markets().filter(({ facts: { marketId } }) => this.#holdsOrders(marketId));
    return held.map(({ facts }) => this.#bookLines(facts.marketId, { timeMs, seq })).join('');
  }

  #holdsOrders(marketId: MarketId): boolean {
    const books = [YES, NO] as const;
    return books.some((outcome) =>
      ([BUY, SELL] as const).some((side) => this.#engine.levels(marketId, outcome, side, 1).length > 0),
    );
  }

  #bookLines(marketId: MarketId, { timeMs, seq }: { readonly timeMs: number; readonly seq: number }): string {
    const time = new Date(timeMs).toISOString();
    const side = (outcome: Outcome, of: Side) =>
      this.#engine
        .levels(marketId, outcome, of, LEVELS)
        .map(({ price, size }) => `${price}:${size}`)
        .join(' ');
    const line = (outcome: Outcome) =>
      toCsvLine([time, seq, marketId, nameOf(outcome), side(outcome, BUY), side(outcome, SELL)]);
    return line(YES) + line(NO);
  }
}

const CHANGES_BOOKS: ReadonlySet<JournalRecord['type']> = new Set([
  'order-accepted',
  'trade-matched',
  'order-cancelled',
  'order-restored',
]);

type TradeRecord = Extract<JournalRecord, { type: 'trade-matched' | 'trade-failed' | 'trade-revived' }>;

/**
 * The line of a trade. A trade that failed later has a second line, which names it, so that a replay of the day can
 * take it back; one that was settled after all has a third.
 */
function toTradeLine(record: TradeRecord, seq: number): string {
  const place = [seq, new Date(record.timeMs).toISOString()];
  if (record.type !== 'trade-matched') {
    const event = record.type === 'trade-revived' && record.stage === 'confirmed' ? 'revived' : 'failed';
    return toCsvLine([...place, event, record.marketId, record.tradeId, ...TRADE_FIELDS.slice(5).map(() => null)]);
  }
  const { marketId, tradeId, outcome, takerSide, price, size, maker, taker, makerHash, takerHash } = record;
  const { fee = 0, makerRebate = 0 } = record;
  const terms = [nameOf(outcome), takerSide === BUY ? 'buy' : 'sell', price, size];
  const parties = [toChecksumAddress(maker), toChecksumAddress(taker), makerHash, takerHash];
  return toCsvLine([...place, 'matched', marketId, tradeId, ...terms, ...parties, fee, makerRebate]);
}

/** The line of a listed market's event and outcome; empty for a market without an event. */
function toOutcomeLine({ timeMs, market }: Extract<JournalRecord, { type: 'market-listed' }>, seq: number): string {
  if (market.event === undefined) return '';
  const { id, index, count, name, question } = market.event;
  return toCsvLine([seq, new Date(timeMs).toISOString(), market.marketId, id, index, count, name, question]);
}

function nameOf(outcome: Outcome): string {
  return outcome === YES ? 'YES' : 'NO';
}

/** Text such as `2026-01-31`. */
function toDay(index: number): string {
  return new Date(index * DAY_MS).toISOString().slice(0, 10);
}
