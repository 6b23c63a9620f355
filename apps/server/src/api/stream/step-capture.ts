// Captures engine state at the moment a step becomes durable, before the next step changes it.
import type { MarketView, OrderView, TradeView } from '@presage/engine';
import type { FrameSeal } from '@presage/journal';
import {
  type EngineEvent,
  type MarketId,
  type OrderHash,
  type Outcome,
  oppositeSide,
  type Side,
} from '@presage/protocol';
import type { MarketReads } from '../../host/ports.ts';
import type { OutcomeQuote } from '../mappers/stream.ts';
import type { LevelChange } from './book-mirror.ts';

export interface TouchedBook {
  readonly outcome: Outcome;
  readonly levels: readonly LevelChange[];
  readonly hash: string;
}

export interface CapturedStep {
  readonly marketId: MarketId;
  readonly seq: number;
  readonly timeMs: number;
  /** Place of the step in the journal. */
  readonly place: StepPlace | undefined;
  /** Journal position after the step; undefined if readers have one node only. */
  readonly position: string | undefined;
  readonly events: readonly EngineEvent[];
  readonly books: readonly TouchedBook[];
  /** Trades that were made, moved or failed, in their current state; a failed one in its last state before. */
  readonly trades: ReadonlyMap<string, TradeView>;
  /** The market, if the step changed the market itself and not an order or a trade. */
  readonly market: MarketView | undefined;
  /** Changed orders of watched wallets. */
  readonly orders: readonly OrderView[];
  /** Best prices after the step; set if the market's event has subscribers. */
  readonly quote: OutcomeQuote | undefined;
}

export interface StepPlace {
  readonly frame: FrameSeal;
  readonly seq: number;
}

interface CaptureOptions {
  readonly place: StepPlace | undefined;
  readonly position?: string | undefined;
  /** All events of one command in one market. */
  readonly events: readonly [EngineEvent, ...EngineEvent[]];
  /** The failed trade, which the engine has already removed. */
  readonly failedTrade: TradeView | undefined;
  readonly hasBookReaders: boolean;
  readonly isWatched: (order: OrderView) => boolean;
  readonly quote: OutcomeQuote | undefined;
}

export function captureStep(reads: MarketReads, options: CaptureOptions): CapturedStep {
  const { events } = options;
  const { marketId, step, timeMs } = events[0];
  return {
    marketId,
    seq: step,
    timeMs,
    place: options.place,
    position: options.position,
    events,
    books: options.hasBookReaders ? captureBooks(reads, marketId, events) : [],
    trades: captureTrades(reads, options),
    market: events.some(isOfMarket) ? reads.market(marketId) : undefined,
    orders: captureOrders(reads, options),
    quote: options.quote,
  };
}

function isOfMarket({ type }: EngineEvent): boolean {
  return type === 'resolution-changed' || type.startsWith('market-');
}

function captureBooks(reads: MarketReads, marketId: MarketId, events: readonly EngineEvent[]): TouchedBook[] {
  const touched = [new Set<number>(), new Set<number>()] as const;
  for (const event of events) touchLevels(reads, event, touched);
  return ([0, 1] as const).flatMap((outcome) => {
    if (touched[outcome].size === 0) return [];
    const levels = [...touched[outcome]].map((key): LevelChange => {
      const side: Side = (key & SIDE_BIT) === 0 ? 0 : 1;
      const price = key & (SIDE_BIT - 1);
      return { side, price, size: reads.levelSize(marketId, outcome, side, price) };
    });
    return { outcome, levels, hash: reads.bookHash(marketId, outcome) };
  });
}

const SIDE_BIT = 1 << 20;

type Touched = readonly [Set<number>, Set<number>];

/** Marks the levels that an event changed. A taker's own level is changed by the event that placed the order: acceptance or return. */
function touchLevels(reads: MarketReads, event: EngineEvent, touched: Touched): void {
  switch (event.type) {
    case 'order-accepted':
      touch(touched, event.order);
      break;
    case 'order-cancelled':
      touch(touched, event);
      break;
    case 'trade-matched':
      touch(touched, { outcome: event.outcome, side: oppositeSide(event.takerSide), price: event.price });
      break;
    case 'order-restored': {
      const order = reads.order(event.orderHash)?.signed.order;
      if (order !== undefined) touch(touched, order);
      break;
    }
    case 'market-listed':
    case 'market-closed':
    case 'trade-moved':
    case 'trade-failed':
    case 'resolution-changed':
      break;
    default:
      event satisfies never;
  }
}

function touch(touched: Touched, level: { outcome: Outcome; side: Side; price: number }): void {
  touched[level.outcome].add(level.side === 0 ? level.price : level.price | SIDE_BIT);
}

function captureTrades(reads: MarketReads, { events, failedTrade }: CaptureOptions): ReadonlyMap<string, TradeView> {
  const trades = new Map<string, TradeView>();
  for (const event of events) {
    if (!('tradeId' in event) || event.type === 'order-restored') continue;
    const trade = event.type === 'trade-failed' ? failedTrade : reads.trade(event.marketId, event.tradeId);
    if (trade !== undefined) trades.set(event.tradeId, trade);
  }
  return trades;
}

function captureOrders(reads: MarketReads, { events, failedTrade, isWatched }: CaptureOptions): OrderView[] {
  const hashes = new Set<OrderHash>();
  for (const event of events) for (const hash of ordersOf(event, failedTrade)) hashes.add(hash);
  return [...hashes].flatMap((hash) => {
    const order = reads.order(hash);
    return order !== undefined && isWatched(order) ? order : [];
  });
}

function ordersOf(event: EngineEvent, failedTrade: TradeView | undefined): readonly OrderHash[] {
  switch (event.type) {
    case 'order-accepted':
    case 'order-cancelled':
    case 'order-restored':
      return [event.orderHash];
    case 'trade-matched':
      return [event.makerHash, event.takerHash];
    case 'trade-failed':
      return failedTrade === undefined ? [] : [failedTrade.makerHash, failedTrade.takerHash];
    case 'market-listed':
    case 'market-closed':
    case 'trade-moved':
    case 'resolution-changed':
      return [];
  }
}
