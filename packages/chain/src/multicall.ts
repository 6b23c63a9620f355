// Encodes many calls as one call of Multicall3 and decodes the results. Uses one fixed layout: the wallet library takes
// seven times as long.
import { asHex, type Hex } from '@presage/protocol';
import type { Address } from 'viem';
import { garbage } from './quantity.ts';

export interface GatheredCall {
  readonly to: Address;
  readonly data: Hex;
}

export interface GatheredResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

/** `aggregate3((address target, bool allowFailure, bytes callData)[])` */
const AGGREGATE = '0x82ad56cb';
/** Hexadecimal digits of a word. */
const WORD = 64;
/** Words of a call before its bytes, including their length. */
const CALL_WORDS = 4;
const MAY_FAIL = toWord(1);
/** Offset of a call's bytes within the call. */
const BYTES_AT = toWord(96);

/** Encodes the calls; a failing call is skipped. */
export function encodeAggregate(calls: readonly GatheredCall[]): Hex {
  const offsets: string[] = [];
  const bodies: string[] = [];
  let at = 32 * calls.length;
  for (const { to, data } of calls) {
    const digits = data.length - 2;
    const padding = (WORD - (digits % WORD)) % WORD;
    offsets.push(toWord(at));
    const target = to.slice(2).toLowerCase().padStart(WORD, '0');
    bodies.push(target, MAY_FAIL, BYTES_AT, toWord(digits / 2), data.slice(2), '0'.repeat(padding));
    at += 32 * CALL_WORDS + (digits + padding) / 2;
  }
  return asHex([AGGREGATE, toWord(32), toWord(calls.length), ...offsets, ...bodies].join(''));
}

/** Throws `RpcUnavailable` for an answer that is not `(bool success, bytes returnData)[]`. */
export function decodeAggregate(answer: Hex): GatheredResult[] {
  const list = placeAt(answer, '0x'.length, 0);
  const count = numberAt(answer, list);
  const results = list + WORD;
  if (results + WORD * count > answer.length) throw garbage('the results of Multicall3', answer);
  return Array.from({ length: count }, (_, index) => {
    const result = placeAt(answer, results, index);
    const bytes = placeAt(answer, result, 1);
    const start = bytes + WORD;
    const end = start + 2 * numberAt(answer, bytes);
    if (end > answer.length) throw garbage('the results of Multicall3', answer);
    return { success: numberAt(answer, result) === 1, returnData: asHex(`0x${answer.slice(start, end)}`) };
  });
}

/** Resolves the offset in the tuple's word with this index; offsets count from the start of the tuple. */
function placeAt(answer: Hex, tuple: number, index: number): number {
  return tuple + 2 * numberAt(answer, tuple + WORD * index);
}

function numberAt(answer: Hex, at: number): number {
  const digits = answer.slice(at, at + WORD);
  if (digits.length < WORD) throw garbage('the results of Multicall3', answer);
  return Number(`0x${digits}`);
}

function toWord(value: number): string {
  return value.toString(16).padStart(WORD, '0');
}
