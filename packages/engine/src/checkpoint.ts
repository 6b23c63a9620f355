// The whole state as canonical lines of JSON: equal states give equal bytes, and the state can be restored from them.
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
import { type MarketRecord, type OrderRecord, type TradeRecord, unfilledOf } from './records.ts';
import { ordersByMarket, PAUSE, type TakenMarket, type TakenState } from './taken-state.ts';

/** Increased when the lines change; a checkpoint of another version is refused, and the journal can be replayed without it. */
const CHECKPOINT_VERSION = 2;

type EngineLine = readonly [tag: 'engine', version: number, sequence: number, timeMs: number, seq: number];
type Line = EngineLine | MarketLine | ResolutionLine | NoncesLine | OrderLine | TradeLine;
type WrittenLine = Exclude<Line, OrderLine>;

/**
 * The state as it is now, in lines that may be asked for later, whatever happens to it meanwhile: a large one is written out between other
 * work, in parts that end at any line or pause. Markets by id; in each, its resolution if there is one, spent nonces by wallet, orders by
 * sequence, trades by count. Lines carry no line feed.
 */
export function writeCheckpoint(state: EngineState): Generator<string | typeof PAUSE> {
  const { sequence, timeMs, seq } = state;
  return toLines(state, ['engine', CHECKPOINT_VERSION, sequence, timeMs, seq], state.take());
}

function* toLines(state: EngineState, engine: EngineLine, taken: TakenState): Generator<string | typeof PAUSE> {
  try {
    yield toText(engine);
    for (const next of taken.markets()) {
      if (next === PAUSE) yield PAUSE;
      else yield* toMarketLines(taken, ...next);
    }
  } finally {
    state.giveBack(taken);
  }
}

function* toMarketLines(
  taken: TakenState,
  market: TakenMarket,
  orders: readonly OrderRecord[],
): Generator<string | typeof PAUSE> {
  yield toText(toMarketLine(market));
  if (market.resolution !== undefined) yield toText(toResolutionLine(market.resolution));
  for (const { trader, spent } of market.spent) yield toText(['nonces', trader, spent.values().map(String)]);
  for (const order of taken.ordersOf(orders)) yield order === PAUSE ? PAUSE : toOrderText(order);
  for (const trade of market.trades) yield toText(toTradeLine(taken.tradeOf(trade)));
}

function toText(line: WrittenLine): string {
  return JSON.stringify(line);
}

/** Fills an empty state. What the lines leave out (books, holds, lapse times) is derived from them. */
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

/** Once their orders and trades are there. */
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

/** A second engine from the state of a first one, without writing and parsing a checkpoint. Fills an empty state. Objects that no event changes are shared: facts, resolutions, accepted orders and fills. */
export function copyState(from: EngineState, to: EngineState): void {
  to.sequence = from.sequence;
  to.timeMs = from.timeMs;
  to.seq = from.seq;
  const orders = ordersByMarket(from);
  for (const market of from.markets.values()) copyMarket(to, market, orders.get(market) ?? []);
  noteClosedMarkets(to);
}

function copyMarket(to: EngineState, from: MarketRecord, orders: readonly OrderRecord[]): void {
  const market = to.addMarket(from.facts);
  market.closeReason = from.closeReason;
  market.resolution = from.resolution;
  market.step = from.step;
  market.tradeCount = from.tradeCount;
  market.updatedMs = from.updatedMs;
  if (from.closeReason === undefined) to.marketLapses.push(market.lapsesMs, market);
  for (const { trader, spent } of from.accounts.values()) {
    if (spent !== undefined) to.account(market, trader).spent = spent.copy();
  }
  for (const order of orders) copyOrder(to, order);
  for (const trade of from.trades.values()) copyTrade(to, market, trade);
}

function copyOrder(to: EngineState, from: OrderRecord): void {
  const order = to.addOrder(from.accepted, from.sequence);
  order.filled = from.filled;
  order.status = from.status;
  order.isNonceSpent = from.isNonceSpent;
  order.firstStatus = from.firstStatus;
  order.lastFirstFill = from.lastFirstFill;
  if (from.status === 'open') to.putOnBook(order, unfilledOf(from));
}

function copyTrade(to: EngineState, market: MarketRecord, from: TradeRecord): void {
  const { fill, timeMs, stage, settlement, movedMs } = from;
  const maker = to.order(from.maker.accepted.orderHash);
  const taker = to.order(from.taker.accepted.orderHash);
  const trade: TradeRecord = { fill, timeMs, maker, taker, stage, settlement, movedMs };
  market.trades.add(trade);
  to.memory.hold(trade);
  if (stage === 'confirmed') to.memory.noteConfirmed(trade);
}
