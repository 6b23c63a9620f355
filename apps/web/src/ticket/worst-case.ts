// The worst that a signed order can do to its wallet, whatever others do to the book before it arrives: what the button may say.
import {
  costOf,
  EVENTS_PER_STEP,
  type Price,
  proceedsRoundedDown,
  type Size,
  takerFee,
} from '@presage/protocol/browser';

/**
 * A cent: each fill rounds up by less than a unit, and an order meets at most this many others when it arrives. One that rests
 * is given the same room.
 */
const ROUNDING_ROOM = BigInt(EVENTS_PER_STEP);
/** Sizes computed from dollars are rounded down to hundredths of a share. */
const LOT = 10_000n;

/** Where takers pay a fee, it rounds up with each fill too. */
function roomFor(rate: number): bigint {
  return rate === 0 ? ROUNDING_ROOM : 2n * ROUNDING_ROOM;
}

/**
 * The most that a purchase can charge, with the fee of its limit: at a better price both together cost less. Without a fee no share costs more than a
 * dollar, however small its fills.
 */
export function mostPaid(price: number, size: bigint, rate: number): bigint {
  // The ticket has checked both.
  const most = costOf(price as Price, Number(size) as Size) + takerFee(rate, size, price as Price) + roomFor(rate);
  return rate > 0 || most < size ? most : size;
}

/** The largest size, in lots, whose purchase can never charge more than these dollars; 0 when they do not pay for one lot. */
export function sizeWithin(dollars: bigint, price: number, rate: number): bigint {
  // Of a millionth of a share, in parts of 10^16; cost and fee of the whole round up by less than two units.
  const each = BigInt(price) * (10n ** 10n + BigInt(rate * (1_000_000 - price)));
  const spent = dollars - roomFor(rate) - (rate === 0 ? 0n : 2n);
  const paidFor = (spent * 10n ** 16n) / each;
  const least = rate === 0 ? dollars : 0n;
  const size = paidFor > least ? paidFor : least;
  return size - (size % LOT);
}

/** The most that a seller pays for pairs when this many of the shares are not held: a dollar each and the fee, less the least they sell for. */
export function mostPaidForPairs(price: number, missing: bigint, rate: number): bigint {
  const most = missing - proceedsOf(price, missing);
  return rate === 0 || missing === 0n ? most : most + takerFee(rate, missing, price as Price) + ROUNDING_ROOM;
}

/** The least that a sale of shares held brings when all of it fills. */
export function leastReceived(price: number, size: bigint, rate: number): bigint {
  const least = proceedsOf(price, size);
  if (rate === 0) return least;
  const net = least - takerFee(rate, size, price as Price) - ROUNDING_ROOM;
  return net > 0n ? net : 0n;
}

function proceedsOf(price: number, size: bigint): bigint {
  return proceedsRoundedDown(price as Price, Number(size) as Size);
}
