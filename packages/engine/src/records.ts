// The engine's record of a market, whose wallets, orders and trades are handles into slabs; and its view.
import {
  type MarketCloseReason,
  type MarketFacts,
  type MarketId,
  type MarketResolution,
  sortKeys,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { FastBook } from './book/fast-book.ts';

export interface MarketRecord {
  /** Number among all markets of the engine. */
  readonly number: number;
  readonly id: MarketId;
  /** Keys are sorted, as in its resolution: the same data must give the same bytes in a checkpoint. */
  readonly facts: MarketFacts;
  /** Prefix of the ids of its trades. */
  readonly tradePrefix: string;
  readonly lapsesMs: number;
  /** Undefined while the market is open. */
  closeReason: MarketCloseReason | undefined;
  resolution: MarketResolution | undefined;
  step: number;
  tradeCount: number;
  /** Number of orders on its books. */
  openCount: number;
  updatedMs: number;
  /** Books by outcome, created with the first order. */
  readonly books: [FastBook | undefined, FastBook | undefined];
  /** Head of the list of its accounts. */
  firstAccount: number;
  accountCount: number;
  /** Ends of the list of its remembered trades, oldest first. */
  firstTrade: number;
  lastTrade: number;
  rememberedTrades: number;
  /** The view as last read; cleared by each event that changes it. */
  view: MarketView | undefined;
}

/**
 * Sorts the keys of the facts once, so that a checkpoint need not sort them again: most of its markets were closed long
 * ago.
 */
export function createMarket(number: number, facts: MarketFacts): MarketRecord {
  return {
    number,
    id: facts.marketId,
    facts: sortKeys(facts),
    tradePrefix: toTradePrefix(facts.marketId),
    lapsesMs: facts.expiration * 1000,
    closeReason: undefined,
    resolution: undefined,
    step: 0,
    tradeCount: 0,
    openCount: 0,
    updatedMs: 0,
    books: [undefined, undefined],
    firstAccount: NONE,
    accountCount: 0,
    firstTrade: NONE,
    lastTrade: NONE,
    rememberedTrades: 0,
    view: undefined,
  };
}

export function isOpenAt(market: MarketRecord, timeMs: number): boolean {
  return market.closeReason === undefined && market.lapsesMs > timeMs && !isUnderProposal(market);
}

function isUnderProposal({ resolution }: MarketRecord): boolean {
  return resolution?.status === 'proposed' || resolution?.status === 'disputed';
}

export function byMarketId(a: Pick<MarketRecord, 'id'>, b: Pick<MarketRecord, 'id'>): number {
  return a.id < b.id ? -1 : 1;
}

/** Digits of the market's id before the counter: short enough to read aloud, with 2^64 market prefixes. */
const PREFIX_DIGITS = 16;

function toTradePrefix(marketId: string): string {
  return `${marketId.slice(2, 2 + PREFIX_DIGITS)}-`;
}

export function toTradeId({ tradePrefix }: Pick<MarketRecord, 'tradePrefix'>, count: number): string {
  return `${tradePrefix}${count}`;
}

/** Counter of a trade in its market; undefined if the id is not of this market. */
export function countOf(market: Pick<MarketRecord, 'tradePrefix'>, tradeId: string): number | undefined {
  const count = Number(tradeId.slice(PREFIX_DIGITS + 1));
  return tradeId === toTradeId(market, count) ? count : undefined;
}

/** A market for readers; its record caches the last view. */
export interface MarketView {
  readonly facts: MarketFacts;
  readonly status: 'open' | 'closed';
  /** Present for a closed market. */
  readonly closeReason?: MarketCloseReason;
  /** Undefined until a resolution is proposed or decided. */
  readonly resolution?: MarketResolution;
  /** Number of the last step. */
  readonly step: number;
  readonly tradeCount: number;
  /** Time of the last step. */
  readonly updatedMs: number;
}

/** The same object until an event changes the market: lists of all markets are read far more often than markets change. */
export function toMarketView(market: MarketRecord): MarketView {
  market.view ??= makeMarketView(market);
  return market.view;
}

function makeMarketView(market: MarketRecord): MarketView {
  const { facts, closeReason, resolution, step, tradeCount, updatedMs } = market;
  // Every order reads its market, which is nearly always of this kind; a spread costs many times as much.
  if (closeReason === undefined && resolution === undefined) {
    return { facts, status: 'open', step, tradeCount, updatedMs };
  }
  const view = { facts, step, tradeCount, updatedMs, ...(resolution && { resolution }) };
  return closeReason === undefined ? { ...view, status: 'open' } : { ...view, status: 'closed', closeReason };
}
