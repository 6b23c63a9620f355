// Valid names of an event's outcomes: the bounds of the factory, and no two that people could not tell apart.
import { MAX_OUTCOMES, MIN_OUTCOMES } from './outcome-ids.ts';

/** Bytes of UTF-8, as the factory counts them. */
export const MAX_NAME_BYTES = 64;
/** Limit for all texts of an event together: they become the code of its contract, whose size chains limit. */
export const MAX_EVENT_TEXT_BYTES = 24_500;
/** 32-byte words that the contract keeps beside the texts, and bytes of a word. */
const FIXED_WORDS = 12;
const WORD = 32;

interface NamesFault {
  readonly field: string;
  readonly expected: string;
  readonly got?: unknown;
}

/** The first fault; undefined if an event may have these outcomes. */
export function findNamesFault(names: readonly string[]): NamesFault | undefined {
  if (names.length < MIN_OUTCOMES || names.length > MAX_OUTCOMES) {
    const expected = `${MIN_OUTCOMES} to ${MAX_OUTCOMES} names of outcomes`;
    return { field: 'outcomes', expected, got: names.length };
  }
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const field = `outcomes.${index}`;
    const plain = name.trim().toLowerCase();
    const twin = seen.get(plain);
    if (plain === '' || byteLength(name) > MAX_NAME_BYTES) {
      return { field, expected: `a name of 1 to ${MAX_NAME_BYTES} bytes`, got: name };
    }
    if (twin !== undefined) return { field, expected: `another name than that of outcome ${twin}`, got: name };
    seen.set(plain, index);
  }
  return undefined;
}

/** Whether all texts of an event fit its contract together. */
export function fitsContract(texts: readonly string[], names: readonly string[]): boolean {
  const wordsOf = (text: string) => 1 + Math.ceil(byteLength(text) / WORD);
  const words = [...texts.map(wordsOf), ...names.map((name) => 1 + wordsOf(name))];
  return WORD * words.reduce((sum, each) => sum + each, FIXED_WORDS) <= MAX_EVENT_TEXT_BYTES;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
