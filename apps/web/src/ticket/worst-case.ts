// The worst that a signed order can do to its wallet, whatever others do to the book before it arrives: what the button may say.
import { EVENTS_PER_STEP } from '@presage/protocol/browser';

/**
 * A cent: each fill rounds up by less than a unit, and an order meets at most this many others when it arrives. One that rests
 * is given the same room.
 */
const ROUNDING_ROOM = BigInt(EVENTS_PER_STEP);
/** Sizes computed from dollars are rounded down to hundredths of a share. */
const LOT = 10_000n;
/** What prices times rates are counted in. */
const SCALE = 10n ** 16n;

/** The cost of a millionth of a share with the fee of the limit, at which both together cost most; a seller's fee has a rate below 0. */
function priceWithFee(price: number, rate: number): bigint {
  return BigInt(price) * (10n ** 10n + BigInt(rate * (1_000_000 - price)));
}

/** Where takers pay a fee, it rounds up with each fill too. */
function roomFor(rate: number): bigint {
  return rate === 0 ? ROUNDING_ROOM : 2n * ROUNDING_ROOM;
}

/** The most that a purchase can charge; without a fee no share costs more than a dollar, however small its fills. */
export function mostPaid(price: number, size: bigint, rate: number): bigint {
  const most = (size * priceWithFee(price, rate) + SCALE - 1n) / SCALE + roomFor(rate);
  return rate > 0 || most < size ? most : size;
}

/** The largest size, in lots, whose purchase can never charge more than these dollars; 0 when they do not pay for one lot. */
export function sizeWithin(dollars: bigint, price: number, rate: number): bigint {
  const paidFor = ((dollars - roomFor(rate)) * SCALE) / priceWithFee(price, rate);
  const least = rate === 0 ? dollars : 0n;
  const size = paidFor > least ? paidFor : least;
  return size - (size % LOT);
}

/** The most that a seller pays for pairs when this many of the shares are not held: a dollar each, less the least they sell for. */
export function mostPaidForPairs(price: number, missing: bigint, rate: number): bigint {
  return missing === 0n ? 0n : missing - netOf(price, missing, rate);
}

/** The least that a sale of shares held brings when all of it fills. */
export function leastReceived(price: number, size: bigint, rate: number): bigint {
  const net = netOf(price, size, rate);
  return net > 0n ? net : 0n;
}

/** What a sale brings at its limit, less the fee: below 0 where there is little of it. */
function netOf(price: number, size: bigint, rate: number): bigint {
  return (size * priceWithFee(price, -rate)) / SCALE - (rate === 0 ? 0n : ROUNDING_ROOM);
}
