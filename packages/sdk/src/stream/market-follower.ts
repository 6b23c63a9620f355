// Follows one market through its messages: rebuilds and verifies the books, and detects every gap.
import type { OutcomeName } from '../inputs.ts';
import type {
  MarketStatusUpdate,
  OrderbookDelta,
  OrderbookMessage,
  OrderCancelled,
  ResolutionStatus,
  Trade,
  TradeStatusUpdate,
} from '../types.ts';
import { type BookLevel, LocalBook } from './local-book.ts';
import type { HeartbeatData, StreamMessage } from './messages.ts';

/**
 * Events may have been missed. `resync`: the service no longer retains them. `sequence`, `hash`: a message did
 * not fit the local state. `too_slow`: the reader left too much unread. The books that follow are complete again.
 */
export interface GapEvent {
  readonly type: 'gap';
  readonly reason: 'resync' | 'sequence' | 'hash' | 'reconnected' | 'too_slow';
}

export interface BookEvent {
  readonly type: 'book';
  readonly marketId: string;
  readonly outcome: OutcomeName;
  /** Best first; prices and sizes in millionths. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Step of the market at which the book is current. */
  readonly seq: number;
  readonly hash: string;
}

interface UpdateBase {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly ts: number;
}

export type MarketUpdate = UpdateBase &
  (
    | { readonly type: 'trade'; readonly data: Trade }
    | { readonly type: 'trade_status'; readonly data: TradeStatusUpdate }
    | { readonly type: 'order_cancelled'; readonly data: OrderCancelled }
    | { readonly type: 'market'; readonly data: MarketStatusUpdate }
    | { readonly type: 'resolution'; readonly data: ResolutionStatus }
  );

export type WatchMarketEvent = BookEvent | MarketUpdate | GapEvent;

export interface FollowerSink {
  onEvent(event: MarketUpdate | GapEvent): void;
  /** The book of an outcome has changed: `bookOf` shows it. */
  bookChanged(outcome: 0 | 1): void;
  /** Continuity is lost: request a snapshot of the books. */
  needSnapshot(): void;
}

const STEP_MESSAGES: ReadonlySet<string> = new Set([
  'orderbook_delta',
  'trade',
  'trade_status',
  'order_cancelled',
  'market',
  'resolution',
  'quick_market',
]);

export class MarketFollower {
  readonly #marketId: string;
  /** With a filter, steps of the other outcome are expected to be absent; `prevSeq` still reveals lost book messages. */
  readonly #filter: 0 | 1 | undefined;
  readonly #sink: FollowerSink;
  readonly #books: [LocalBook | undefined, LocalBook | undefined] = [undefined, undefined];
  #seq: number | undefined;
  /** Number of messages of step `#seq` that have arrived, and of those that will be repeated after a resumption. */
  #seenOfStep = 0;
  #toSkip = 0;
  /** Step `#seq` is complete. */
  #isStepWhole = false;

  constructor(marketId: string, filter: 0 | 1 | undefined, sink: FollowerSink) {
    this.#marketId = marketId;
    this.#filter = filter;
    this.#sink = sink;
  }

  /**
   * The step to resume from: the last one again unless it is known to be complete, since the connection may have broken
   * within it.
   */
  resumeFrom(): number | undefined {
    if (this.#seq === undefined) return undefined;
    this.#toSkip = this.#isStepWhole ? 0 : this.#seenOfStep;
    return this.#isStepWhole ? this.#seq + 1 : this.#seq;
  }

  bookOf(outcome: 0 | 1): BookEvent | undefined {
    const book = this.#books[outcome];
    if (book === undefined) return undefined;
    const { bids, asks, seq, hash } = book;
    return { type: 'book', marketId: this.#marketId, outcome: outcome === 0 ? 'YES' : 'NO', bids, asks, seq, hash };
  }

  accept(message: StreamMessage): void {
    if (message.type === 'subscribe') this.#onSubscribed(message.seq);
    else if (message.type === 'heartbeat') this.#onHeartbeat(message.data);
    else if (message.type === 'resync') this.#onResync(message.seq ?? 0);
    else if (message.type === 'orderbook') this.#onSnapshot(message.data, message.seq ?? 0);
    else if (STEP_MESSAGES.has(message.type)) this.#onStepMessage(message, message.seq ?? 0);
  }

  /**
   * The first subscription starts at its step, even if the connection breaks before a book has come. A resumption sends
   * changes only: a book that is missing or failed verification needs a snapshot.
   */
  #onSubscribed(seq: number | undefined): void {
    if (this.#seq === undefined) {
      if (seq !== undefined) this.#moveTo(seq, { isWhole: true });
    } else if (this.#expected().some((outcome) => this.#books[outcome] === undefined)) {
      this.#sink.needSnapshot();
    }
  }

  #onHeartbeat({ subscriptions }: HeartbeatData): void {
    const here = subscriptions.find(({ marketId }) => marketId === this.#marketId);
    if (here?.seq !== undefined && here.seq === this.#seq) this.#isStepWhole = true;
  }

  #onResync(seq: number): void {
    this.#forgetBooks();
    this.#moveTo(seq, { isWhole: true });
    this.#sink.onEvent({ type: 'gap', reason: 'resync' });
  }

  #onSnapshot(data: OrderbookMessage, seq: number): void {
    const book = LocalBook.of(data, seq);
    if (book.hash !== data.hash) {
      this.#forgetBooks();
      this.#sink.onEvent({ type: 'gap', reason: 'hash' });
      // Another snapshot on this connection would be the same: reconnect instead, with backoff.
      throw new Error(`the book of ${this.#marketId} does not have the hash that came with it`);
    }
    this.#books[data.outcome] = book;
    if (this.#seq === undefined || seq > this.#seq) this.#moveTo(seq, { isWhole: true });
    this.#sink.bookChanged(data.outcome);
  }

  #onStepMessage(message: StreamMessage, seq: number): void {
    if (this.#isRepetition(seq)) return;
    const last = this.#seq;
    if (seq !== last) this.#moveTo(seq, { isWhole: false });
    this.#seenOfStep += 1;
    if (last !== undefined && seq > last + 1 && this.#filter === undefined) this.#loseContinuity('sequence');
    if (message.type === 'orderbook_delta') this.#onDelta(message.data, seq, message.prevSeq ?? 0);
    else if (message.type !== 'quick_market') this.#sink.onEvent(toMarketUpdate(message, seq));
  }

  #isRepetition(seq: number): boolean {
    if (this.#seq === undefined || seq > this.#seq) return false;
    if (seq < this.#seq) return true;
    if (this.#toSkip === 0) return false;
    this.#toSkip -= 1;
    return true;
  }

  #onDelta({ outcome, changes, hash }: OrderbookDelta, seq: number, prevSeq: number): void {
    const book = this.#books[outcome];
    // Without a book a snapshot is pending, and includes this change.
    if (book === undefined || seq < book.seq) return;
    if (prevSeq > book.seq) {
      this.#loseContinuity('sequence');
      return;
    }
    for (const change of changes) book.change(change);
    book.seq = seq;
    if (book.hash === hash) this.#sink.bookChanged(outcome);
    else this.#loseContinuity('hash');
  }

  #expected(): readonly (0 | 1)[] {
    return this.#filter === undefined ? [0, 1] : [this.#filter];
  }

  #moveTo(seq: number, { isWhole }: { isWhole: boolean }): void {
    this.#seq = seq;
    this.#isStepWhole = isWhole;
    this.#seenOfStep = 0;
    this.#toSkip = 0;
  }

  #loseContinuity(reason: GapEvent['reason']): void {
    this.#forgetBooks();
    this.#sink.onEvent({ type: 'gap', reason });
    this.#sink.needSnapshot();
  }

  #forgetBooks(): void {
    this.#books[0] = undefined;
    this.#books[1] = undefined;
  }
}

function toMarketUpdate({ type, data, ts }: StreamMessage, seq: number): MarketUpdate {
  // The service sends each type with its own data.
  return { type, data, seq, ts } as MarketUpdate;
}
