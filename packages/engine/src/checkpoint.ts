// The whole state as canonical lines of JSON: equal states give equal bytes, and lines restore the state.
import { type MarketFacts, ORDER_STATUSES, type OrderStatus, TRADE_STAGES } from '@presage/protocol/engine-types';
import { addOrder, putOnBook, rememberTrade } from './apply.ts';
import { NONE } from './book/book.ts';
import {
  fromOrderLine,
  type NoncesLine,
  type OrderLine,
  type TradeLine,
  toOrderText,
  toTradeLine,
} from './checkpoint-lines.ts';
import type { EngineState } from './engine-state.ts';
import { type MarketLine, type ResolutionLine, toMarketLine, toResolutionLine } from './market-lines.ts';
import type { MarketTable } from './market-table.ts';
import { noteClosed, noteConfirmed } from './memory.ts';
import { countOf, type MarketRecord } from './records.ts';
import { FIRST_FINAL } from './slabs/account-slab.ts';
import { HexWords, WordPair } from './slabs/hex-words.ts';
import { NonceSet } from './slabs/nonce-set.ts';
import { PAUSE, type TakenMarket, type TakenState } from './taken-state.ts';

/** Increased when the format changes. A checkpoint of another version is refused, and the journal is replayed without it. */
const CHECKPOINT_VERSION = 2;

type EngineLine = readonly [tag: 'engine', version: number, sequence: number, timeMs: number, seq: number];
type Line = EngineLine | MarketLine | ResolutionLine | NoncesLine | OrderLine | TradeLine;
type WrittenLine = Exclude<Line, OrderLine>;

/**
 * The state at the moment it was taken, in lines that may be read later, whatever changes meanwhile: a large one is
 * written between other work, in parts that end at any line or pause. Markets by id; in each, its resolution if any,
 * spent nonces by wallet, orders by sequence, trades by count. Lines contain no line feed.
 */
export function* writeCheckpoint(taken: TakenState): Generator<string | typeof PAUSE> {
  yield toEngineText(taken);
  for (const next of taken.marketsWithOrders()) {
    if (next === PAUSE) yield PAUSE;
    else if (typeof next === 'number') yield* taken.retired.lines(next);
    else yield* toMarketLines(taken, ...next);
  }
}

/** Like `writeCheckpoint`, without orders, trades and retired markets. */
export function* writeMarkets(taken: TakenState): Generator<string> {
  yield toEngineText(taken);
  for (const market of taken.markets()) yield* toHeadLines(market);
}

function toEngineText({ sequence, timeMs, seq }: TakenState): string {
  return toText(['engine', CHECKPOINT_VERSION, sequence, timeMs, seq]);
}

function* toMarketLines(
  taken: TakenState,
  market: TakenMarket,
  orders: readonly number[],
): Generator<string | typeof PAUSE> {
  yield* toHeadLines(market);
  for (const order of taken.inSequence(orders)) yield order === PAUSE ? PAUSE : toOrderText(taken, market, order);
  for (const trade of taken.tradesOf(market)) yield toText(toTradeLine(taken, market, trade));
}

function* toHeadLines(market: TakenMarket): Generator<string> {
  yield toText(toMarketLine(market));
  if (market.resolution !== undefined) yield toText(toResolutionLine(market.resolution));
  for (const { trader, spent } of market.spent) yield toText(['nonces', trader, spent.values().map(String)]);
}

function toText(line: WrittenLine): string {
  return JSON.stringify(line);
}

/** Fills an empty state. Parts that the lines leave out (books, holds, lapse times) are derived. */
export function readCheckpoint(state: EngineState, lines: Iterable<string>): void {
  readLines(state, lines, {
    add: (facts) => state.addMarket(facts),
    // Retired at once: a year of closed markets would be ten times as large as records.
    end: (market) => {
      if (market.closeReason !== undefined) noteClosed(state, market);
      state.markets.retireOver();
    },
  });
  noteClosings(state);
}

export interface MarketSteps {
  readonly add: (facts: MarketFacts) => MarketRecord;
  /** Called after the last line of a market. */
  readonly end: (market: MarketRecord) => void;
}

export function readLines(state: EngineState, lines: Iterable<string>, { add, end }: MarketSteps): void {
  let market: MarketRecord | undefined;
  for (const text of lines) {
    const line: Line = JSON.parse(text);
    if (line[0] === 'engine') readEngine(state, line);
    else if (line[0] === 'market') {
      if (market !== undefined) end(market);
      market = readMarket(state, line, add(line[MARKET_FACTS]));
    } else if (market === undefined) throw new Error(`a checkpoint line comes before its market: ${text.slice(0, 80)}`);
    else readMarketPart(state, market, line);
  }
  if (market !== undefined) end(market);
}

const MARKET_FACTS = 5;

export function noteClosings(state: EngineState): void {
  for (const market of state.markets.records()) if (market.closeReason !== undefined) state.noteClosing(market);
}

function readEngine(state: EngineState, [, version, sequence, timeMs, seq]: EngineLine): void {
  if (version !== CHECKPOINT_VERSION) throw new Error(`checkpoint version ${version} is not ${CHECKPOINT_VERSION}`);
  state.sequence = sequence;
  state.timeMs = timeMs;
  state.seq = seq;
}

function readMarket(state: EngineState, line: MarketLine, market: MarketRecord): MarketRecord {
  const [, closeReason, step, tradeCount, updatedMs] = line;
  market.closeReason = closeReason ?? undefined;
  market.step = step;
  market.tradeCount = tradeCount;
  market.updatedMs = updatedMs;
  if (closeReason === null) state.marketLapses.push(market.lapsesMs, market.number, 0);
  return market;
}

type MarketPartLine = ResolutionLine | NoncesLine | OrderLine | TradeLine;

function readMarketPart(state: EngineState, market: MarketRecord, line: MarketPartLine): void {
  if (line[0] === 'order') readOrder(state, market, line);
  else if (line[0] === 'trade') readTrade(state, market, line);
  else if (line[0] === 'resolution') market.resolution = line[1];
  else readNonces(state, market, line);
}

const address = new HexWords(20);
const nonceWords = new WordPair();

function readNonces(state: EngineState, market: MarketRecord, [, trader, nonces]: NoncesLine): void {
  const spent = new NonceSet();
  for (const nonce of nonces) {
    nonceWords.read(BigInt(nonce));
    spent.add(nonceWords.low, nonceWords.high);
  }
  if (!address.read(trader)) throw new Error(`a checkpoint has nonces of ${trader}, which is no address`);
  state.accounts.setSpent(state.accountFor(market, address.words, 0), spent);
}

function readOrder(state: EngineState, market: MarketRecord, line: OrderLine): void {
  const [, , step, timeMs, sequence, filled, status, isNonceSpent, firstStatus, firstFills] = line;
  const { orders } = state;
  const { packed } = state;
  packed.writePlace(0, fromOrderLine(line, market.id), timeMs);
  packed.stamp(0, step, timeMs);
  const order = addOrder(state, market, packed, 0, sequence);
  orders.addFilled(order, filled);
  if (isNonceSpent) orders.spend(order);
  orders.setFirstStatus(order, toStatusCode(firstStatus));
  for (const [id, tradeId, price, size] of firstFills) {
    const trade = state.trades.begin(id, countOf(market, tradeId)!, price, size);
    state.trades.answer(trade, orders.lastFill(order));
    orders.setLastFill(order, trade);
  }
  if (status === 'open') putOnBook(state, order, state.unfilledOf(order));
  else {
    orders.setStatus(order, toStatusCode(status));
    state.link(order, FIRST_FINAL);
  }
}

function readTrade(state: EngineState, market: MarketRecord, line: TradeLine): void {
  const [, id, tradeId, timeMs, , price, size, , makerHash, takerHash, stage, movedMs, settlement] = line;
  const { trades } = state;
  const [maker, taker] = [state.order(makerHash), state.order(takerHash)];
  const answered = findFirstFill(state, taker, id);
  const trade = answered === NONE ? trades.begin(id, countOf(market, tradeId)!, price, size) : answered;
  trades.setTime(trade, timeMs);
  trades.move(trade, TRADE_STAGES.indexOf(stage), movedMs);
  if (settlement !== null) trades.settlements[trade] = settlement;
  rememberTrade(state, market, trade, maker, taker);
  if (stage === 'confirmed') noteConfirmed(state, trade);
}

/** The trade with this id in the answer to the taker; NONE if it was made later. */
function findFirstFill({ orders, trades }: EngineState, taker: number, id: number): number {
  for (let trade = orders.lastFill(taker); trade !== NONE; trade = trades.former(trade)) {
    if (trades.id(trade) === id) return trade;
  }
  return NONE;
}

/** Copies the state for a second engine: memory is copied, nothing is applied again, and the bytes of the orders are shared. `to` must be empty. */
export function copyState(from: EngineState, to: EngineState): void {
  to.sequence = from.sequence;
  to.timeMs = from.timeMs;
  to.seq = from.seq;
  to.restingCount = from.restingCount;
  to.rememberedCount = from.rememberedCount;
  to.signed = from.signed;
  to.accounts = from.accounts.copy();
  to.trades = from.trades.copy();
  to.nonces = from.nonces.copy();
  to.orderLapses = from.orderLapses.copy();
  to.tradeLapses = from.tradeLapses.copy();
  to.marketLapses = from.marketLapses.copy();
  to.expiredOpen = new Set(from.expiredOpen);
  to.ended = from.ended.slice();
  to.markets = from.markets.copy(copyMarket);
  to.copyBooks(from);
  for (const { number } of from.liveMarkets) to.liveMarkets.add(to.markets.at(number));
  for (const { number } of from.closing.keys()) to.closing.set(to.markets.at(number), undefined);
  for (let order = 0; order < from.signed.used; order++) if (to.orders.isPresent(order)) to.signed.keep(order);
}

function copyMarket(to: MarketTable, from: MarketRecord): void {
  to.put({ ...from, books: [undefined, undefined], view: undefined });
}

/** Releases the bytes of orders that are shared with copies. */
export function releaseState({ signed, orders }: EngineState): void {
  for (let order = 0; order < signed.used; order++) if (orders.isPresent(order)) signed.release(order);
}

function toStatusCode(status: OrderStatus): number {
  return ORDER_STATUSES.indexOf(status);
}
