// Converts callers' input into the exact integers that are signed and sent; values that do not fit are refused.
import {
  type Address,
  type Bytes32,
  isPrice,
  isSize,
  MAX_UINT64,
  type Outcome,
  type Price,
  parseAddress,
  parseBytes32,
  parseMillionths,
  type Side,
  type Size,
} from '@presage/protocol/browser';
import { PresageInputError } from './errors.ts';

export type SideName = 'buy' | 'sell';
export type OutcomeName = 'YES' | 'NO';
/** Outcomes that can be proposed for a market; HALF if the question has no answer and each share pays half. */
export type ResolutionName = OutcomeName | 'HALF';

/** `'0.55'` of the stablecoin, `'55c'` or `'55.5¢'` in cents, or a bigint of millionths. */
export type PriceInput = string | bigint;
/** `'12.5'` shares or units of the stablecoin, or a bigint of millionths. */
export type AmountInput = string | bigint;

const CENTS = /^(.*?)\s*[c¢]$/;
const CENTS_IN_ONE = 100n;

/** Throws PresageInputError unless the input is exactly a price from 0.000001 to 0.999999. */
export function parsePrice(input: PriceInput): Price {
  const units = typeof input === 'bigint' ? input : parsePriceText(input);
  const price = Number(units ?? -1n);
  if (!isPrice(price)) {
    throw new PresageInputError('price', "from 0.000001 to 0.999999, such as '0.55' or '55c'", input);
  }
  return price;
}

function parsePriceText(text: string): bigint | undefined {
  const cents = CENTS.exec(text)?.[1];
  if (cents === undefined) return parseMillionths(text);
  const millionths = parseMillionths(cents);
  return millionths !== undefined && millionths % CENTS_IN_ONE === 0n ? millionths / CENTS_IN_ONE : undefined;
}

/** Throws PresageInputError unless the input is exactly a size of 0.000001 to 9007199254.740991 shares. */
export function parseSize(input: AmountInput): Size {
  const units = typeof input === 'bigint' ? input : parseMillionths(input);
  const isSafe = units !== undefined && units <= BigInt(Number.MAX_SAFE_INTEGER);
  const size = isSafe ? Number(units) : 0;
  if (!isSize(size))
    throw new PresageInputError('size', "a number above 0 with at most 6 decimals, such as '12.5'", input);
  return size;
}

/** Throws PresageInputError unless the input is exactly an amount above 0 that a uint64 holds. */
export function parseAmount(field: string, input: AmountInput): bigint {
  const units = typeof input === 'bigint' ? input : parseMillionths(input);
  if (units === undefined || units <= 0n || units > MAX_UINT64) {
    throw new PresageInputError(field, "a number above 0 with at most 6 decimals, such as '12.5'", input);
  }
  return units;
}

export function toSide(name: SideName): Side {
  if (name !== 'buy' && name !== 'sell') throw new PresageInputError('side', "'buy' or 'sell'", name);
  return name === 'buy' ? 0 : 1;
}

export function toOutcome(name: OutcomeName): Outcome {
  if (name !== 'YES' && name !== 'NO') throw new PresageInputError('outcome', "'YES' or 'NO'", name);
  return name === 'YES' ? 0 : 1;
}

/** Throws PresageInputError for any other name than YES, NO and HALF. */
export function toProposedOutcome(name: ResolutionName): 0 | 1 | 2 {
  return name === 'HALF' ? 2 : toOutcome(name);
}

export function toAddress(field: string, text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new PresageInputError(field, '0x and 40 hex digits', text);
  return address;
}

export function toBytes32(field: string, text: string): Bytes32 {
  const id = parseBytes32(text);
  if (id === undefined) throw new PresageInputError(field, '0x and 64 hex digits', text);
  return id;
}

/** Parses the name of a market for endpoints of positions: its id or its address. */
export function toMarketName(text: string): string {
  const name = parseBytes32(text) ?? parseAddress(text);
  if (name === undefined) throw new PresageInputError('market', 'the id or the address of a market', text);
  return name;
}

export function toAsset(text: string): string {
  if (!/^[a-z0-9]{1,16}$/i.test(text)) throw new PresageInputError('asset', "a symbol such as 'BTC'", text);
  return text.toUpperCase();
}
