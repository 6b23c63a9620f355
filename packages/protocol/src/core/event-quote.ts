// The cheapest way to hold an outcome of an event: buy its YES, or buy NO of all the others and convert. One definition, for service and SDK.
import { takerFee } from './fees.ts';
import type { MarketId } from './ids.ts';
import { NO, type Outcome, YES } from './order.ts';
import { costOf, isPrice, PRICE_SCALE, type Price, toSize } from './units.ts';

/** An offer of shares. */
export interface AskLevel {
  readonly price: number | bigint;
  readonly size: number | bigint;
}

/** Asks of one outcome, best first. */
export interface OutcomeAsks {
  readonly index: number;
  readonly marketId: MarketId;
  readonly yesAsks: readonly AskLevel[];
  readonly noAsks: readonly AskLevel[];
}

export interface EventQuoteInput {
  /** Listed outcomes. */
  readonly outcomes: readonly OutcomeAsks[];
  /** Number of outcomes, listed or not. */
  readonly count: number;
  readonly index: number;
  /** Shares, in millionths. */
  readonly size: number;
  readonly feeRateBps: number;
  /** Most orders that can be placed in one batch; a way that needs more is not offered. */
  readonly mostOrders: number;
}

/** A purchase of all the shares in one book; its limit is the worst price. */
export interface QuotedOrder {
  readonly marketId: MarketId;
  readonly outcome: Outcome;
  /** The price of the last share. */
  readonly price: Price;
  readonly size: number;
  readonly cost: bigint;
  readonly fee: bigint;
}

/** Amounts in units of the stablecoin, prices in millionths of it. */
export interface QuotedWay {
  /** Cost of the orders, without fees. */
  readonly cost: bigint;
  readonly fee: bigint;
  /** Collateral that the conversion pays back; 0 without one. */
  readonly freed: bigint;
  /** cost + fee - freed. */
  readonly total: bigint;
  /** Total per share, rounded up. */
  readonly averagePrice: bigint;
  /** Cost of a share if every order fills at its limit, without fees. */
  readonly worstPrice: number;
  readonly orders: readonly QuotedOrder[];
}

/** Both ways to hold the outcome; a way is undefined if not enough shares are on offer. */
export interface EventQuote {
  /** The way with the lower total; the direct one where both cost the same. */
  readonly best: 'direct' | 'converted' | undefined;
  readonly direct: QuotedWay | undefined;
  readonly converted: QuotedWay | undefined;
}

/** Costs are computed by price level: each resting order that fills may round one unit more. */
export function quoteEvent(input: EventQuoteInput): EventQuote {
  const [direct, converted] = [quoteDirect(input), quoteConverted(input)];
  if (direct === undefined || converted === undefined) {
    const best = direct === undefined ? converted && 'converted' : 'direct';
    return { best, direct, converted };
  }
  return { best: converted.total < direct.total ? 'converted' : 'direct', direct, converted };
}

function quoteDirect({ outcomes, index, size, feeRateBps }: EventQuoteInput): QuotedWay | undefined {
  const outcome = outcomes.find((each) => each.index === index);
  const order = outcome && buy({ ...outcome, asks: outcome.yesAsks, outcome: YES, size, feeRateBps });
  return order && toWay([order], size, 0);
}

/** NO of n - 1 outcomes become YES of the one that is left and n - 2 units of collateral for each share. */
function quoteConverted(input: EventQuoteInput): QuotedWay | undefined {
  const { outcomes, count, index, size, feeRateBps, mostOrders } = input;
  const others = outcomes.filter((each) => each.index !== index);
  // The outcome itself must be listed too, or its shares could not be traded.
  if (outcomes.length !== count || others.length !== count - 1 || others.length > mostOrders) return undefined;
  const orders = others.flatMap((outcome) => {
    return buy({ ...outcome, asks: outcome.noAsks, outcome: NO, size, feeRateBps }) ?? [];
  });
  return orders.length === others.length ? toWay(orders, size, count - 2) : undefined;
}

interface Purchase {
  readonly marketId: MarketId;
  readonly asks: readonly AskLevel[];
  readonly outcome: Outcome;
  readonly size: number;
  readonly feeRateBps: number;
}

/** Undefined if fewer shares are on offer. */
function buy({ marketId, asks, outcome, size, feeRateBps }: Purchase): QuotedOrder | undefined {
  let [left, cost, fee] = [size, 0n, 0n];
  for (const level of asks) {
    const price = Number(level.price);
    if (!isPrice(price)) return undefined;
    const part = toSize(Number(level.size) < left ? Number(level.size) : left);
    cost += costOf(price, part);
    fee += takerFee(feeRateBps, part, price);
    left -= part;
    if (left === 0) return { marketId, outcome, price, size, cost, fee };
  }
  return undefined;
}

function toWay(orders: readonly QuotedOrder[], size: number, freedPerShare: number): QuotedWay {
  const sum = (of: (order: QuotedOrder) => bigint) => orders.reduce((total, order) => total + of(order), 0n);
  const [cost, fee, freed] = [
    sum((order) => order.cost),
    sum((order) => order.fee),
    BigInt(size) * BigInt(freedPerShare),
  ];
  const total = cost + fee - freed;
  const worstPrice = orders.reduce((prices, { price }) => prices + price, 0) - freedPerShare * PRICE_SCALE;
  return {
    cost,
    fee,
    freed,
    total,
    averagePrice: ceilDivide(total * BigInt(PRICE_SCALE), BigInt(size)),
    worstPrice,
    orders,
  };
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return value > 0n ? (value + by - 1n) / by : value / by;
}
