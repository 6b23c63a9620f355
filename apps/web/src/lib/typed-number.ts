// Parses every number that is typed into the page: exactly, or not at all with an explanation. Never guesses what a comma means.
import { parseMillionths } from '@presage/protocol/browser';

export type NumberReading =
  | { readonly units: bigint; readonly problem?: undefined }
  | { readonly units?: undefined; readonly problem: string };

interface Field {
  readonly unit: 'dollars' | 'shares' | 'cents';
  /** Message of the field for anything but a number above 0 with at most 6 decimals. */
  readonly expected: string;
}

/** `5`, `5.`, `.5` and `0.55`. */
const PLAIN = /^(\d+)\.?(\d{0,6})$|^\.(\d{1,6})$/;
/** Numbers whose commas can only group thousands: at least two of them, or one before a point. */
const GROUPED = /^[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d*)?|,\d{3}\.\d*)$/;
const AMBIGUOUS = /^[1-9]\d{0,2},\d{3}$/;
const DECIMAL_COMMA = /^\d*,\d*$/;
const GROUPED_BY_POINTS = /^\d{1,3}(?:\.\d{3})+,\d+$/;

/** Parses to millionths of the field's unit, above 0. Only a field of dollars accepts a dollar sign. */
export function readNumber(text: string, { unit, expected }: Field): NumberReading {
  const trimmed = text.trim();
  const typed = unit === 'dollars' ? trimmed.replace(/^\$/, '') : trimmed;
  const parts = PLAIN.exec(GROUPED.test(typed) ? typed.replaceAll(',', '') : typed);
  if (parts === null) return { problem: commaProblem(typed) ?? expected };
  const [, whole = '0', decimals = '', onlyDecimals] = parts;
  const units = parseMillionths(`${whole}.${onlyDecimals ?? decimals.padEnd(1, '0')}`);
  return units === undefined || units === 0n ? { problem: expected } : { units };
}

function commaProblem(typed: string): string | undefined {
  if (!typed.includes(',')) return undefined;
  const pointed = typed.replaceAll('.', '').replace(',', '.');
  if (AMBIGUOUS.test(typed))
    return `Write ${typed.replace(',', '')}, or ${pointed} with a point: the comma is ambiguous`;
  const isDecimal = DECIMAL_COMMA.test(typed) || GROUPED_BY_POINTS.test(typed);
  return `Use a point for decimals: ${isDecimal && /\d/.test(typed) ? pointed : '12.5'}`;
}

export type PriceReading =
  | { readonly price: number; readonly problem?: undefined }
  | { readonly price?: undefined; readonly problem: string };

const PRICE_EXPECTED = 'Enter a price from 0.0001 to 99.9999¢';
const CENTS_IN_ONE = 100n;
const HIGHEST = 999_999n;

/** Parses a price typed in cents to millionths of a dollar. */
export function readPrice(text: string): PriceReading {
  const { units, problem } = readNumber(text, { unit: 'cents', expected: PRICE_EXPECTED });
  if (units === undefined) return { problem };
  const price = units / CENTS_IN_ONE;
  if (units % CENTS_IN_ONE !== 0n || price > HIGHEST) return { problem: PRICE_EXPECTED };
  return { price: Number(price) };
}
