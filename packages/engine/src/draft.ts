// The result of a command while it is being decided: small numbers and handles, from which events are made and then applied.
import {
  CANCEL_REASONS,
  type CancelReason,
  type EngineOutput,
  type ErrorCode,
  type OrderAnswer,
  type OrderTerms,
  type Outcome,
  type PlaceOrder,
  type Side,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { MarketRecord } from './records.ts';
import type { PackedCommands } from './slabs/packed-commands.ts';

/** Kinds of entries. Those without a market of their own belong to the step that began before them. */
export const STEP = 0;
export const ACCEPT = 1;
export const TRADE = 2;
export const CANCEL = 3;
export const CANCEL_INCOMING = 4;
export const RESTORE = 5;
/** A rare event, which is made from the command: a market is listed, closed or resolved, a trade moves or fails. */
export const RARE = 6;

const FIRST_CAPACITY = 256;

export class Draft {
  kinds = new Uint8Array(FIRST_CAPACITY);
  /** Order handle of an entry, or market number of a step. */
  handles = new Int32Array(FIRST_CAPACITY);
  sizes = new Float64Array(FIRST_CAPACITY);
  /** Indexes into `CANCEL_REASONS`. */
  reasons = new Uint8Array(FIRST_CAPACITY);
  /** Rare events by the index of their entry. */
  readonly rare = new Map<number, RareEvent>();
  count = 0;
  /** Answer in place of events: a refusal, or the answer to a repeated order. */
  answer: EngineOutput | undefined = undefined;
  /** Number of events in the current step. */
  stepEvents = 0;
  timeMs = 0;
  /** The placed order among packed commands; undefined if an order returns. */
  packed: PackedCommands | undefined = undefined;
  packedAt = 0;
  /** The same command as an object, if it came as one. */
  placed: PlaceOrder | undefined = undefined;
  /** A returning order, in place of an incoming one, and the failed trade. */
  taker = NONE;
  failedTradeId = '';
  /** An order that this step cancelled before matching began, and that the book still shows. */
  gone = NONE;
  /** The incoming order: its account if the market has one, and the size not yet traded or cancelled. */
  account = NONE;
  side: Side = 0;
  outcome: Outcome = 0;
  price = 0;
  prevention: OrderTerms['selfTradePrevention'] = 'none';
  left = 0;
  filled = 0;

  begin(timeMs: number): void {
    this.count = 0;
    this.answer = undefined;
    this.timeMs = timeMs;
    this.packed = undefined;
    this.placed = undefined;
    this.taker = NONE;
    this.gone = NONE;
    if (this.rare.size > 0) this.rare.clear();
  }

  beginStep(market: MarketRecord): void {
    this.#add(STEP, market.number, 0, 0);
    this.stepEvents = 0;
  }

  /** Replaces everything drafted so far. A refusal is an answer with a code, not an exception. */
  refuse(code: ErrorCode, details?: Readonly<Record<string, unknown>>): this {
    this.answer =
      details === undefined ? { type: 'command-refused', code } : { type: 'command-refused', code, details };
    return this;
  }

  replay(answer: OrderAnswer): this {
    this.answer = { type: 'order-replayed', answer };
    return this;
  }

  accept(): void {
    this.#add(ACCEPT, NONE, 0, 0);
  }

  /** Trades the smaller of the two sizes. */
  trade(resting: number, remaining: number): void {
    const size = remaining < this.left ? remaining : this.left;
    this.left -= size;
    this.filled += size;
    this.#add(TRADE, resting, size, 0);
  }

  /** Cancels a remembered order's size on the book, or size 0 to prevent its return. */
  cancel(order: number, remaining: number, reason: CancelReason): void {
    this.#add(CANCEL, order, remaining, CANCEL_REASONS.indexOf(reason));
  }

  cancelIncoming(reason: CancelReason): void {
    this.#add(CANCEL_INCOMING, NONE, this.left, CANCEL_REASONS.indexOf(reason));
    this.left = 0;
  }

  restore(order: number, size: number): void {
    this.#add(RESTORE, order, size, 0);
  }

  add(event: RareEvent): void {
    this.rare.set(this.count, event);
    this.#add(RARE, NONE, 0, 0);
  }

  #add(kind: number, handle: number, size: number, reason: number): void {
    const at = this.count++;
    if (at >= this.kinds.length) this.#grow();
    this.kinds[at] = kind;
    this.handles[at] = handle;
    this.sizes[at] = size;
    this.reasons[at] = reason;
    this.stepEvents++;
  }

  #grow(): void {
    const length = this.kinds.length * 2;
    const [kinds, handles, sizes, reasons] = [this.kinds, this.handles, this.sizes, this.reasons];
    this.kinds = new Uint8Array(length);
    this.handles = new Int32Array(length);
    this.sizes = new Float64Array(length);
    this.reasons = new Uint8Array(length);
    this.kinds.set(kinds);
    this.handles.set(handles);
    this.sizes.set(sizes);
    this.reasons.set(reasons);
  }
}

type Headless<T> = T extends unknown ? Omit<T, 'marketId' | 'step' | 'timeMs'> : never;
/** The event without the fields that all events of a step share. */
export type RareEvent = Headless<
  Extract<
    EngineOutput,
    { readonly type: 'market-listed' | 'market-closed' | 'resolution-changed' | 'trade-moved' | 'trade-failed' }
  >
>;
