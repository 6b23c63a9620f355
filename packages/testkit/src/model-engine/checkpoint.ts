// The whole state as canonical lines of JSON: equal states give equal bytes, and lines restore the state.
import {
  fromFillFields,
  fromOrderLine,
  type MarketLine,
  type NoncesLine,
  type OrderLine,
  type ResolutionLine,
  type TradeLine,
  toMarketLine,
  toOrderText,
  toResolutionLine,
  toTradeLine,
} from './checkpoint-lines.ts';
import type { EngineState } from './engine-state.ts';
import { NonceSet } from './memory/nonce-set.ts';
import {
  byMarketId,
  bySequence,
  type MarketRecord,
  type OrderRecord,
  type TradeRecord,
  unfilledOf,
} from './records.ts';

/** Increased when the format changes. A checkpoint of another version is refused, and the journal is replayed without it. */
const CHECKPOINT_VERSION = 2;

type EngineLine = readonly [tag: 'engine', version: number, sequence: number, timeMs: number, seq: number];
type Line = EngineLine | MarketLine | ResolutionLine | NoncesLine | OrderLine | TradeLine;
type WrittenLine = Exclude<Line, OrderLine>;

/** Markets by id; in each, its resolution if any, spent nonces by wallet, orders by sequence, trades by count. Lines contain no line feed. */
export function* writeCheckpoint(state: EngineState): Generator<string> {
  yield toText(['engine', CHECKPOINT_VERSION, state.sequence, state.timeMs, state.seq]);
  const orders = [...state.memory.orders.values()].sort(bySequence);
  for (const market of [...state.markets.values()].sort(byMarketId)) {
    const own = orders.filter((order) => order.market === market);
    yield* toMarketLines(market, own);
  }
}

function* toMarketLines(market: MarketRecord, orders: readonly OrderRecord[]): Generator<string> {
  yield toText(toMarketLine(market));
  if (market.resolution !== undefined) yield toText(toResolutionLine(market.resolution));
  const accounts = [...market.accounts.values()].sort((a, b) => (a.trader < b.trader ? -1 : 1));
  for (const { trader, spent } of accounts) {
    if (spent !== undefined) yield toText(['nonces', trader, spent.values().map(String)]);
  }
  for (const order of orders) yield toOrderText(order);
  for (const trade of market.trades.values()) yield toText(toTradeLine(trade));
}

function toText(line: WrittenLine): string {
  return JSON.stringify(line);
}

/** Fills an empty state. Parts that the lines leave out (books, holds, lapse times) are derived. */
export function readCheckpoint(state: EngineState, lines: Iterable<string>): void {
  let market: MarketRecord | undefined;
  for (const text of lines) {
    const line: Line = JSON.parse(text);
    if (line[0] === 'engine') readEngine(state, line);
    else if (line[0] === 'market') market = readMarket(state, line);
    else if (market === undefined) throw new Error(`a checkpoint line comes before its market: ${text.slice(0, 80)}`);
    else readMarketPart(state, market, line);
  }
  noteClosedMarkets(state);
}

/** Called once all orders and trades are restored. */
function noteClosedMarkets(state: EngineState): void {
  for (const closed of state.markets.values()) {
    if (closed.closeReason === undefined) continue;
    state.memory.noteClosed(closed);
    state.noteClosing(closed);
  }
}

function readEngine(state: EngineState, [, version, sequence, timeMs, seq]: EngineLine): void {
  if (version !== CHECKPOINT_VERSION) throw new Error(`checkpoint version ${version} is not ${CHECKPOINT_VERSION}`);
  state.sequence = sequence;
  state.timeMs = timeMs;
  state.seq = seq;
}

function readMarket(state: EngineState, line: MarketLine): MarketRecord {
  const [, closeReason, step, tradeCount, updatedMs, facts] = line;
  const market = state.addMarket(facts);
  market.closeReason = closeReason ?? undefined;
  market.step = step;
  market.tradeCount = tradeCount;
  market.updatedMs = updatedMs;
  if (closeReason === null) state.marketLapses.push(market.lapsesMs, market);
  return market;
}

type MarketPartLine = ResolutionLine | NoncesLine | OrderLine | TradeLine;

function readMarketPart(state: EngineState, market: MarketRecord, line: MarketPartLine): void {
  if (line[0] === 'order') readOrder(state, market, line);
  else if (line[0] === 'trade') readTrade(state, market, line);
  else if (line[0] === 'resolution') market.resolution = line[1];
  else readNonces(state, market, line);
}

function readNonces(state: EngineState, market: MarketRecord, [, trader, nonces]: NoncesLine): void {
  const spent = new NonceSet();
  for (const nonce of nonces) spent.add(BigInt(nonce));
  state.account(market, trader).spent = spent;
}

function readOrder(state: EngineState, market: MarketRecord, line: OrderLine): void {
  const [, , , , sequence, filled, status, isNonceSpent, firstStatus, firstFills] = line;
  const order = state.addOrder(fromOrderLine(line, market), sequence);
  order.filled = filled;
  order.status = status;
  order.isNonceSpent = isNonceSpent;
  order.firstStatus = firstStatus;
  order.lastFirstFill = fromFillFields(firstFills);
  if (status === 'open') state.putOnBook(order, unfilledOf(order));
}

function readTrade(state: EngineState, market: MarketRecord, line: TradeLine): void {
  const [, id, tradeId, timeMs, , price, size, , makerHash, takerHash, stage, movedMs, settlement] = line;
  const trade: TradeRecord = {
    fill: { id, tradeId, price, size, previous: undefined },
    timeMs,
    maker: state.order(makerHash),
    taker: state.order(takerHash),
    stage,
    settlement: settlement ?? undefined,
    movedMs,
  };
  market.trades.add(trade);
  state.memory.hold(trade);
  if (stage === 'confirmed') state.memory.noteConfirmed(trade);
}
