// Feed of a market with subscribers: its books as sent, its last steps for clients that reconnect, its subscriptions.
import type { MarketView } from '@presage/engine';
import {
  BUY,
  type EngineEvent,
  type MarketId,
  type Outcome,
  SELL,
  type StreamMessageType,
  stringifyJson,
  toSeconds,
} from '@presage/protocol';
import type { MarketReads } from '../../host/ports.ts';
import type { Receipts } from '../../proof/receipts.ts';
import { toResolution } from '../mappers/resolution.ts';
import { toCancelled, toMarketChange, toMatchedTrade, toTradeStatus } from '../mappers/stream.ts';
import { BookMirror } from './book-mirror.ts';
import type { BookMessage, MessageEnd, MessageWriter, SharedMessage, StreamData } from './shared-message.ts';
import type { CapturedStep, StepPlace, TouchedBook } from './step-capture.ts';

interface Notice {
  readonly message: SharedMessage;
  /** Outcome of the notice; undefined if it concerns the whole market and goes to every reader. */
  readonly outcome: Outcome | undefined;
}

interface BookChange {
  readonly outcome: Outcome;
  readonly delta: BookMessage;
}

/** A step as sent, without whole books, which the feed can write at any time. */
export interface PublishedStep {
  readonly seq: number;
  readonly notices: readonly Notice[];
  readonly books: readonly BookChange[];
  /** Signs and writes the receipt on first use, since few readers want it. */
  readonly receipt: (() => SharedMessage) | undefined;
}

export type StepReceipts = Pick<Receipts, 'receiptOf'>;

/** A reader of the market's steps. */
interface StepReader {
  deliver(step: PublishedStep): void;
}

/** Steps kept: some minutes of a busy market. A client that returns later starts from a snapshot. */
const KEPT_STEPS = 4_096;
const KEPT_CHARACTERS = 2 * 1_024 * 1_024;

interface MarketFeedOptions {
  readonly reads: MarketReads;
  readonly writer: MessageWriter;
  /** Receipts; if undefined, steps have none. */
  readonly receipts: StepReceipts | undefined;
}

export class MarketFeed {
  readonly marketId: MarketId;
  readonly subscriptions = new Set<StepReader>();
  /** Time at which the last reader left; the feed is kept for a while in case readers return. */
  emptySinceMs: number | undefined;
  readonly #writer: MessageWriter;
  readonly #receipts: StepReceipts | undefined;
  readonly #mirrors: readonly [BookMirror, BookMirror];
  readonly #hashes: [string, string];
  /** Step of the last book message of each outcome. */
  readonly #bookSeqs: [number, number];
  readonly #kept: PublishedStep[] = [];
  #keptCharacters = 0;
  #snapshots: [BookMessage?, BookMessage?] = [];
  /** Books as sent so far, each written once for all readers. */
  #books: [BookMessage?, BookMessage?] = [];
  #seq: number;
  #timeMs: number;
  #position: string | undefined;

  constructor(market: MarketView, { reads, writer, receipts }: MarketFeedOptions) {
    const { marketId } = market.facts;
    this.marketId = marketId;
    this.#writer = writer;
    this.#receipts = receipts;
    this.#seq = market.step;
    this.#timeMs = market.updatedMs;
    const mirrorOf = (outcome: Outcome) =>
      new BookMirror(reads.levels(marketId, outcome, BUY), reads.levels(marketId, outcome, SELL));
    this.#mirrors = [mirrorOf(0), mirrorOf(1)];
    this.#hashes = [reads.bookHash(marketId, 0), reads.bookHash(marketId, 1)];
    this.#bookSeqs = [market.step, market.step];
  }

  /** Sequence of the last step sent. */
  get seq(): number {
    return this.#seq;
  }

  get timeMs(): number {
    return this.#timeMs;
  }

  deliver(step: CapturedStep): void {
    this.#seq = step.seq;
    this.#timeMs = step.timeMs;
    this.#position = step.position;
    this.#snapshots = [];
    this.#books = [];
    const notices = step.events.flatMap((event) => this.#toNotices(event, step));
    const books = step.books.flatMap((book) => this.#toBookChange(book) ?? []);
    const published = { seq: step.seq, notices, books, receipt: this.#toReceipt(step.place) };
    this.#keep(published);
    for (const subscription of this.subscriptions) subscription.deliver(published);
    this.#snapshots = [];
    this.#books = [];
    for (const { outcome } of books) this.#bookSeqs[outcome] = step.seq;
  }

  /** The book right after the step being delivered; written on first use. */
  stepSnapshot(outcome: Outcome): BookMessage {
    this.#snapshots[outcome] ??= this.snapshot(outcome);
    return this.#snapshots[outcome];
  }

  /** Steps from `seq` on; undefined if not all of them are still kept. */
  stepsFrom(seq: number): readonly PublishedStep[] | undefined {
    if (seq === this.#seq + 1) return [];
    const first = this.#kept[0]?.seq;
    if (first === undefined || seq < first || seq > this.#seq) return undefined;
    return this.#kept.slice(seq - first);
  }

  /** The book as sent so far. */
  snapshot(outcome: Outcome, end?: MessageEnd): BookMessage {
    this.#books[outcome] ??= this.#writeBook(outcome);
    return end === undefined ? this.#books[outcome] : this.#books[outcome].withEnd(end);
  }

  #writeBook(outcome: Outcome): BookMessage {
    const mirror = this.#mirrors[outcome];
    const head = `{"marketId":"${this.marketId}","outcome":${outcome},"bids":${mirror.levels(BUY)}`;
    const rest = `,"asks":${mirror.levels(SELL)},"lastUpdate":${toSeconds(this.#timeMs)},"hash":"${this.#hashes[outcome]}"}`;
    return this.#writer.writeBook({ ...this.#envelope('orderbook'), data: head + rest }, this.#bookSeqs[outcome]);
  }

  #toReceipt(place: StepPlace | undefined): PublishedStep['receipt'] {
    const receipts = this.#receipts;
    if (place === undefined || receipts === undefined) return undefined;
    const envelope = this.#envelope('receipt');
    let message: SharedMessage | undefined;
    return () => {
      const write = (data: StreamData<'receipt'>) => this.#writer.write({ ...envelope, data: stringifyJson(data) });
      message ??= write(receipts.receiptOf(place.frame, place.seq));
      return message;
    };
  }

  #toBookChange({ outcome, levels, hash }: TouchedBook): BookChange | undefined {
    const changes = levels.filter((level) => this.#mirrors[outcome].change(level));
    if (changes.length === 0) return undefined;
    this.#hashes[outcome] = hash;
    const change: StreamData<'orderbook_delta'> = { outcome, changes, hash };
    const data = stringifyJson(change);
    const delta = this.#writer.writeBook({ ...this.#envelope('orderbook_delta'), data }, this.#bookSeqs[outcome]);
    return { outcome, delta };
  }

  #toNotices(event: EngineEvent, step: CapturedStep): readonly Notice[] {
    switch (event.type) {
      case 'trade-matched': {
        const trade = step.trades.get(event.tradeId);
        return trade === undefined ? [] : [this.#notice('trade', toMatchedTrade(event, trade.id), event.outcome)];
      }
      case 'order-cancelled':
        return [this.#notice('order_cancelled', toCancelled(event), event.outcome)];
      case 'trade-moved':
      case 'trade-failed': {
        const trade = step.trades.get(event.tradeId);
        if (trade === undefined) return [];
        const failure = event.type === 'trade-failed' ? event : undefined;
        return [this.#notice('trade_status', toTradeStatus(trade, failure), trade.outcome)];
      }
      case 'order-accepted':
      case 'order-restored':
        return [];
      case 'market-listed':
      case 'market-closed':
      case 'resolution-changed':
        return this.#toMarketNotices(event, step);
    }
  }

  #toMarketNotices(event: EngineEvent, { market, timeMs }: CapturedStep): readonly Notice[] {
    if (market === undefined) return [];
    const nowSeconds = toSeconds(timeMs);
    const change = this.#notice('market', toMarketChange(market, nowSeconds), undefined);
    if (event.type !== 'resolution-changed') return [change];
    return [this.#notice('resolution', toResolution(market, nowSeconds), undefined), change];
  }

  #notice<T extends StreamMessageType>(type: T, data: StreamData<T>, outcome: Outcome | undefined): Notice {
    return { message: this.#writer.write({ ...this.#envelope(type), data: stringifyJson(data) }), outcome };
  }

  #envelope(type: StreamMessageType) {
    return { type, marketId: this.marketId, seq: this.#seq, ts: this.#timeMs, position: this.#position };
  }

  #keep(step: PublishedStep): void {
    this.#kept.push(step);
    this.#keptCharacters += sizeOf(step);
    while (this.#kept.length > KEPT_STEPS || this.#keptCharacters > KEPT_CHARACTERS) {
      this.#keptCharacters -= sizeOf(this.#kept.shift()!);
    }
  }
}

function sizeOf({ notices, books }: PublishedStep): number {
  let characters = 0;
  for (const { message } of notices) characters += message.length;
  for (const { delta } of books) characters += delta.length;
  return characters;
}
