// Converts the terms of an order to one small number, and back to an object shared by all orders with these terms.
import {
  DEFAULT_TERMS,
  makeTerms,
  ORDER_TERM_NAMES,
  ORDER_TERMS,
  type OrderTerms,
} from '@presage/protocol/engine-types';

/** Code of the terms; 0 for the defaults. */
export function toTermsCode(terms: OrderTerms): number {
  if (terms === DEFAULT_TERMS) return 0;
  let code = 0;
  for (const name of ORDER_TERM_NAMES) {
    const values: readonly OrderTerms[typeof name][] = ORDER_TERMS[name];
    code = code * values.length + values.indexOf(terms[name]);
  }
  return code;
}

/** Reads from an accepted record: one number per term, the index of its value. A term added later has its default value in older records. */
export function readTermsCode(reader: { integer(least: number, most: number): number }): number {
  let left = reader.integer(0, ORDER_TERM_NAMES.length);
  let code = 0;
  for (const name of ORDER_TERM_NAMES) {
    const values = ORDER_TERMS[name];
    code = code * values.length + (left-- > 0 ? reader.integer(0, values.length - 1) : 0);
  }
  return code;
}

export function fromTermsCode(code: number): OrderTerms {
  return TERMS_BY_CODE[code]!;
}

const CODES = ORDER_TERM_NAMES.reduce((count, name) => count * ORDER_TERMS[name].length, 1);
const TERMS_BY_CODE: readonly OrderTerms[] = Array.from({ length: CODES }, (_, code) => makeCoded(code));

function makeCoded(code: number): OrderTerms {
  if (code === 0) return DEFAULT_TERMS;
  const places = new Map<string, number>();
  let rest = code;
  for (const name of [...ORDER_TERM_NAMES].reverse()) {
    places.set(name, rest % ORDER_TERMS[name].length);
    rest = Math.floor(rest / ORDER_TERMS[name].length);
  }
  return makeTerms((name) => ORDER_TERMS[name][places.get(name)!]!);
}
