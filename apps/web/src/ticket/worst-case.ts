// Computes the worst case of a signed order for its wallet, whatever happens to the book before it arrives. The button shows this figure.
import { EVENTS_PER_STEP } from '@presage/protocol/browser';

/**
 * A cent: each fill rounds up by less than a unit, and an order meets at most this many others when it arrives. A resting order gets
 * the same allowance.
 */
const ROUNDING_ROOM = BigInt(EVENTS_PER_STEP);
/** Sizes computed from dollars are rounded down to hundredths of a share. */
const LOT = 10_000n;
/** Scale of a price times a rate. */
const SCALE = 10n ** 16n;

/** Cost of a millionth of a share with the fee at the limit price, where both together are highest. A seller's fee has a negative rate. */
function priceWithFee(price: number, rate: number): bigint {
  return BigInt(price) * (10n ** 10n + BigInt(rate * (1_000_000 - price)));
}

/** Allowance for rounding; doubled with a taker fee, which rounds up in each fill too. */
function roomFor(rate: number): bigint {
  return rate === 0 ? ROUNDING_ROOM : 2n * ROUNDING_ROOM;
}

/** Most that a purchase can charge. Without a fee no share costs more than a dollar, however small its fills. */
export function mostPaid(price: number, size: bigint, rate: number): bigint {
  const most = (size * priceWithFee(price, rate) + SCALE - 1n) / SCALE + roomFor(rate);
  return rate > 0 || most < size ? most : size;
}

/** Largest size, in whole lots, whose purchase never charges more than these dollars; 0 if they do not pay for one lot. */
export function sizeWithin(dollars: bigint, price: number, rate: number): bigint {
  const paidFor = ((dollars - roomFor(rate)) * SCALE) / priceWithFee(price, rate);
  const least = rate === 0 ? dollars : 0n;
  const size = paidFor > least ? paidFor : least;
  return size - (size % LOT);
}

/** Most that a seller pays for the pairs of shares that are not held: a dollar each, less their lowest proceeds. */
export function mostPaidForPairs(price: number, missing: bigint, rate: number): bigint {
  return missing === 0n ? 0n : missing - netOf(price, missing, rate);
}

/** Least that a sale of held shares brings if all of it fills. */
export function leastReceived(price: number, size: bigint, rate: number): bigint {
  const net = netOf(price, size, rate);
  return net > 0n ? net : 0n;
}

/** Proceeds of a sale at its limit, less fee and rounding; negative for a tiny sale. */
function netOf(price: number, size: bigint, rate: number): bigint {
  return (size * priceWithFee(price, -rate)) / SCALE - (rate === 0 ? 0n : ROUNDING_ROOM);
}
