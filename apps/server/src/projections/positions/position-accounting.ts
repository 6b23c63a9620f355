// A wallet's shares in a market and their cost: a pure fold over its fills, exact, by average cost.
import { BUY, costOf, NO, type Outcome, type Price, type Side, type Size, toSize, YES } from '@presage/protocol';

/** One outcome of a position. `cost` is the cost of the shares held; `revenue` is the proceeds of shares sold. */
export interface Holding {
  /** Negative while more shares are known to have left than arrived: the chain need not settle in journal order. */
  readonly shares: bigint;
  readonly cost: bigint;
  readonly revenue: bigint;
}

export interface Position {
  readonly yes: Holding;
  readonly no: Holding;
  readonly realizedPnl: bigint;
}

/** A wallet's part in one trade. */
export interface Fill {
  readonly side: Side;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  /**
   * Shares minted for a sale according to the chain, once mined; until then the fold computes them from the shares
   * held. The chain may mint more than that: if the seller revoked the approval of shares, the contract moves none and
   * mints all.
   */
  readonly minted?: bigint;
  /** Fee paid as the taker, or rebate received as the maker, beside the price; absent where nothing was charged. */
  readonly fee?: bigint;
  readonly rebate?: bigint;
}

/** The part of a trade's fees that concerns one side. */
export function feesOfSide(side: Side, trade: ChargedTrade): Pick<Fill, 'fee' | 'rebate'> {
  const { takerSide, fee, makerRebate } = trade;
  if (fee === null) return NO_FEES;
  return side === takerSide ? { fee: BigInt(fee) } : { rebate: BigInt(makerRebate ?? 0) };
}

interface ChargedTrade {
  readonly takerSide: Side;
  readonly fee: number | null;
  readonly makerRebate: number | null;
}

const NO_FEES = {};

export interface FilledPosition {
  readonly position: Position;
  /** Shares minted for a sale; 0 for a buy. */
  readonly minted: bigint;
}

const NOTHING: Holding = { shares: 0n, cost: 0n, revenue: 0n };
export const EMPTY_POSITION: Position = { yes: NOTHING, no: NOTHING, realizedPnl: 0n };

/**
 * The money rules of a fill of cost c = ceil(price x size / 1e6), in the order the contract moves things:
 * - A buy adds `size` shares that cost c.
 * - A sale of h held and m minted shares (h + m = size) brings c. The minted part's share of it is ceil(price x m / 1e6),
 *   the held part gets the rest: so a sale without shares brings c to the minted part and nothing is lost to rounding.
 * - The held part takes cost out in proportion, rounded down (all of it with the last share), and realizes the difference.
 * - The m shares of the complement cost what was paid in, m, minus the minted part's proceeds: never below 0.
 * - Shares that come after they were sold make up for these first, and realize their part of the cost, rounded down.
 * - A taker's fee adds to the cost of a buy. Of a sale it is split over held and minted shares, the minted part rounded up: it lessens what the
 *   held part brings and adds to what the complement cost.
 * - A maker's rebate is revenue of the outcome that was traded, realized at once.
 *
 * Every mined fill moves the shares that the chain moved, so the order of fills matters to costs but never to shares.
 * Hence for each wallet yes.cost + no.cost - realizedPnl is exactly the money it paid in net of what it got out, and over
 * all wallets that sum is the number of pairs minted, which is also the number of YES and of NO shares outstanding, and the fees that were not given back.
 */
export function applyFill(position: Position, fill: Fill): FilledPosition {
  const filled = fill.side === BUY ? { position: applyBuy(position, fill), minted: 0n } : applySale(position, fill);
  const { rebate = 0n } = fill;
  return rebate === 0n ? filled : { ...filled, position: addRevenue(filled.position, fill.outcome, rebate) };
}

function applyBuy(position: Position, { outcome, price, size, fee = 0n }: Fill): Position {
  return addShares(position, outcome, BigInt(size), costOf(price, size) + fee);
}

function addRevenue(position: Position, outcome: Outcome, amount: bigint): Position {
  const { shares, cost, revenue } = holdingOf(position, outcome);
  const { yes, no, realizedPnl } = withHolding(position, outcome, { shares, cost, revenue: revenue + amount });
  return { yes, no, realizedPnl: realizedPnl + amount };
}

function applySale(position: Position, fill: Fill): FilledPosition {
  const size = BigInt(fill.size);
  const held = holdingOf(position, fill.outcome);
  const minted = mintedAtSale(held, fill);
  const mintedProceeds = minted === 0n ? 0n : costOf(fill.price, toSize(Number(minted)));
  const { fee = 0n } = fill;
  const mintedFee = fee === 0n ? 0n : (fee * minted + size - 1n) / size;
  const proceeds = costOf(fill.price, fill.size) - mintedProceeds - (fee - mintedFee);
  const left = withShares(held, held.shares - (size - minted));
  const remaining = { shares: left.shares, cost: left.cost, revenue: left.revenue + proceeds };
  const { yes, no } = withHolding(position, fill.outcome, remaining);
  const realizedPnl = position.realizedPnl + proceeds - (held.cost - left.cost);
  const complement = fill.outcome === YES ? NO : YES;
  const complementCost = minted - mintedProceeds + mintedFee;
  return { position: addShares({ yes, no, realizedPnl }, complement, minted, complementCost), minted };
}

function mintedAtSale(held: Holding, fill: Fill): bigint {
  const size = BigInt(fill.size);
  if (fill.minted !== undefined) return fill.minted < size ? fill.minted : size;
  const available = sharesHeld(held.shares);
  return available < size ? size - available : 0n;
}

/** Shares to display: shares sold before they arrived are not held. */
export function sharesHeld(shares: bigint): bigint {
  return shares > 0n ? shares : 0n;
}

export function addShares(position: Position, outcome: Outcome, shares: bigint, cost: bigint): Position {
  if (shares === 0n) return position;
  const { shares: before, cost: costBefore, revenue } = holdingOf(position, outcome);
  const soldCost = before < 0n ? costOfSold(-before, shares, cost) : 0n;
  const grown = { shares: before + shares, cost: costBefore + cost - soldCost, revenue };
  const { yes, no, realizedPnl } = withHolding(position, outcome, grown);
  return { yes, no, realizedPnl: realizedPnl - soldCost };
}

/** The part of `cost` for shares that were sold before they arrived, out of `shares` that arrive. */
function costOfSold(sold: bigint, shares: bigint, cost: bigint): bigint {
  return sold < shares ? (cost * sold) / shares : cost;
}

/** Sets the shares to the chain's balances: unexplained ones arrive at cost 0, or leave with their part of the cost. */
export function replaceShares(position: Position, yesShares: bigint, noShares: bigint): Position {
  return { ...position, yes: withShares(position.yes, yesShares), no: withShares(position.no, noShares) };
}

/** The only rounding of cost: shares that leave take floor(cost x left / held), and the last share takes the rest. */
export function withShares(holding: Holding, shares: bigint): Holding {
  const { revenue } = holding;
  if (shares >= holding.shares) return { shares, cost: holding.cost, revenue };
  const leaving = holding.shares - shares;
  const cost = shares <= 0n ? 0n : holding.cost - (holding.cost * leaving) / holding.shares;
  return { shares, cost, revenue };
}

function holdingOf(position: Position, outcome: Outcome): Holding {
  return outcome === YES ? position.yes : position.no;
}

function withHolding(position: Position, outcome: Outcome, holding: Holding): Position {
  const { yes, no, realizedPnl } = position;
  return outcome === YES ? { yes: holding, no, realizedPnl } : { yes, no: holding, realizedPnl };
}

export function isEmptyPosition({ yes, no }: Position): boolean {
  return yes.shares === 0n && no.shares === 0n;
}
