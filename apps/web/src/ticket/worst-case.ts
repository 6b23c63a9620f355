// The worst that a signed order can do to its wallet, whatever others do to the book before it arrives: what the button may say.
import { costOf, EVENTS_PER_STEP, proceedsRoundedDown, toPrice, toSize } from '@presage/protocol/browser';

/**
 * A cent: each fill rounds up by less than a unit, and an order meets at most this many others when it arrives. One that rests
 * is given the same room.
 */
const ROUNDING_ROOM = BigInt(EVENTS_PER_STEP);
/** Sizes computed from dollars are rounded down to hundredths of a share. */
const LOT = 10_000n;

/** The most that a purchase can charge; no share costs more than a dollar, however small its fills. */
export function mostPaid(price: number, size: bigint): bigint {
  const most = costOf(toPrice(price), toSize(Number(size))) + ROUNDING_ROOM;
  return most < size ? most : size;
}

/** The largest size, in lots, whose purchase can never charge more than these dollars; 0 when they do not pay for one lot. */
export function sizeWithin(dollars: bigint, price: number): bigint {
  const paidFor = ((dollars - ROUNDING_ROOM) * 1_000_000n) / BigInt(price);
  const size = paidFor > dollars ? paidFor : dollars;
  return size - (size % LOT);
}

/** The most that a seller pays for pairs when this many of the shares are not held: a dollar each, less the least they sell for. */
export function mostPaidForPairs(price: number, missing: bigint): bigint {
  return missing - leastReceived(price, missing);
}

/** The least that a sale of shares held brings when all of it fills. */
export function leastReceived(price: number, size: bigint): bigint {
  return size === 0n ? 0n : proceedsRoundedDown(toPrice(price), toSize(Number(size)));
}
