// Formats amounts and prices for display; results are never used in computations.
import { formatAmount } from '@presage/sdk';

type Units = number | bigint;

const MINUS = '−';
const ONE = 1_000_000;
const CENT = 10_000;
const CENT_UNITS = BigInt(CENT);
const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const fine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const twoPlaces = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `55.0` for 550,000 millionths: exact, with at least one decimal. */
export function centsText(price: Units): string {
  const text = formatAmount(BigInt(price) * 100n);
  return text.includes('.') ? text : `${text}.0`;
}

export function cents(price: Units): string {
  return `${centsText(price)}¢`;
}

/** Rounded to a tenth of a cent, for averages, which may have endless decimals. */
export function roundedCents(price: Units): string {
  return `${(Number(price) / CENT).toFixed(1)}¢`;
}

export function shares(size: Units): string {
  const value = Number(size) / ONE;
  return Math.abs(value) >= 1 || value === 0 ? plain.format(value) : fine.format(value);
}

/** Exact to the last decimal, for sizes that are signed. */
export function exactShares(size: bigint): string {
  return fine.format(Number(size) / ONE);
}

/** Dollars to the cent; an amount below a cent is shown exactly rather than as zero. */
export function money(amount: Units): string {
  const value = Number(amount) / ONE;
  const size = Math.abs(value);
  const text = size > 0 && size < 0.01 ? fine.format(size) : twoPlaces.format(size);
  return `${value < 0 ? MINUS : ''}$${text}`;
}

/** Rounded up, for the most that may be paid. */
export function moneyUp(amount: bigint): string {
  return money(amount < CENT_UNITS ? amount : ((amount + CENT_UNITS - 1n) / CENT_UNITS) * CENT_UNITS);
}

/** Rounded down, for the least that is received. */
export function moneyDown(amount: bigint): string {
  return money(amount < CENT_UNITS ? amount : amount - (amount % CENT_UNITS));
}

export function signedMoney(amount: Units): string {
  return Number(amount) > 0 ? `+${money(amount)}` : money(amount);
}

export function wholeMoney(amount: Units): string {
  return whole.format(Number(amount) / ONE);
}

/** `$9,410`, `$48.2k`, `$1.24M`: for volumes, where the order of magnitude is enough. */
export function compactMoney(amount: Units): string {
  const value = Number(amount) / ONE;
  if (value < 10_000) return `$${whole.format(value)}`;
  if (value < 1_000_000) return `$${(value / 1_000).toFixed(value < 100_000 ? 1 : 0)}k`;
  return `$${(value / 1_000_000).toFixed(2)}M`;
}

/** Whole percent without the sign; never 0 or 100, which would claim certainty. */
export function percentText(price: Units): string {
  const value = Number(price) / CENT;
  if (value < 1) return '<1';
  return value > 99 ? '>99' : String(Math.round(value));
}

export function percent(price: Units): string {
  return `${percentText(price)}%`;
}

/** `64¢`, `64.5¢`: for cards, where a whole cent needs no decimal. */
export function priceText(price: Units): string {
  return `${Number((Number(price) / CENT).toFixed(1))}¢`;
}

/** Price of an asset with two decimals, from the oracle's eight. */
export function assetPrice(price: Units, decimals: number): string {
  return `$${twoPlaces.format(Number(price) / 10 ** decimals)}`;
}

export function signedDifference(price: Units, from: Units, decimals: number): string {
  const value = (Number(price) - Number(from)) / 10 ** decimals;
  return `${value < 0 ? MINUS : '+'}${twoPlaces.format(Math.abs(value))}`;
}

/** Shortens a hash in the middle; short text stays unchanged. */
export function shortHash(hash: string): string {
  return hash.length <= 12 ? hash : `${hash.slice(0, 6)}…${hash.slice(-4)}`;
}

export function plural(number: number, word: string): string {
  return `${whole.format(number)} ${word}${number === 1 ? '' : 's'}`;
}
