// Exact amounts: Price, Size and Collateral as distinct types, and the only arithmetic allowed on them.

declare const unit: unique symbol;

/** Price of one share in millionths of a stablecoin unit, 1 to 999,999. */
export type Price = number & { readonly [unit]: 'price' };
/** Shares of one order or one fill with 6 decimals, 1 to 2^53-1: always a safe integer. */
export type Size = number & { readonly [unit]: 'size' };
/** Stablecoin amount with 6 decimals; totals pass 2^53, so it is a bigint. */
export type Collateral = bigint & { readonly [unit]: 'collateral' };

// Constants and results of the arithmetic below are in range by construction, hence the casts in this file.
export const PRICE_SCALE = 1_000_000;
export const MIN_PRICE = 1 as Price;
export const MAX_PRICE = 999_999 as Price;
export const MAX_SIZE = Number.MAX_SAFE_INTEGER as Size;

const SCALE = BigInt(PRICE_SCALE);
/** price x size stays a safe integer below this size, whatever the price: the fast path of costOf. */
const FAST_SIZE = Math.floor(Number.MAX_SAFE_INTEGER / PRICE_SCALE);

export function isPrice(value: number): value is Price {
  return Number.isInteger(value) && value >= MIN_PRICE && value <= MAX_PRICE;
}

export function isSize(value: number): value is Size {
  return Number.isSafeInteger(value) && value > 0;
}

export function toPrice(value: number): Price {
  if (!isPrice(value)) throw new RangeError(`price ${value} is not an integer from ${MIN_PRICE} to ${MAX_PRICE}`);
  return value;
}

export function toSize(value: number): Size {
  if (!isSize(value)) throw new RangeError(`size ${value} is not an integer from 1 to ${MAX_SIZE}`);
  return value;
}

/** Cost of a fill to the buyer, rounded up: the money rule. At most `size`, so never more than one unit per share. */
export function costOf(price: Price, size: Size): Collateral {
  if (size <= FAST_SIZE) return BigInt(ceilDivideExact(price * size)) as Collateral;
  return ((BigInt(price) * BigInt(size) + SCALE - 1n) / SCALE) as Collateral;
}

/** Takes the remainder first, so that the division is exact: a rounded quotient could lose the last unit. */
function ceilDivideExact(product: number): number {
  const rest = product % PRICE_SCALE;
  return (product - rest) / PRICE_SCALE + (rest > 0 ? 1 : 0);
}

/** price x size / 1e6 rounded down: the least that a seller without shares receives, used for reserves only. */
export function proceedsRoundedDown(price: Price, size: Size): Collateral {
  return ((BigInt(price) * BigInt(size)) / SCALE) as Collateral;
}

/** The rest of a size after a part of it. 0 means nothing is left, and is not a Size. */
export function subtractSize(size: number, part: number): number {
  const rest = size - part;
  if (rest < 0) throw new RangeError(`cannot take ${part} from ${size}`);
  return rest;
}

export function minSize(a: number, b: number): Size {
  return (a < b ? a : b) as Size;
}

export const DAY_MS = 86_400_000;

/** Times are milliseconds inside, Unix seconds on the wire. */
export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}
