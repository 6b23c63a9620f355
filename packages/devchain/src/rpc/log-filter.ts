// A log filter (addresses and topics, each one value, several or any), and whether a block's bloom may contain a match.
import { isObject } from '@presage/protocol';
import { type Hex, keccak256 } from 'viem';
import { invalidParams } from './rpc-error.ts';

export interface LogFilter {
  readonly addresses: ReadonlySet<string> | undefined;
  readonly topics: readonly (ReadonlySet<string> | undefined)[];
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
}

export function parseLogFilter(filter: unknown): LogFilter {
  if (!isObject(filter)) throw invalidParams('the log filter must be an object');
  const { address, topics = [] } = filter;
  if (!Array.isArray(topics) || topics.length > 4) throw invalidParams('topics must be an array of at most four');
  return { addresses: parseChoice(address), topics: topics.map(parseChoice) };
}

export function matchesLog(log: Log, filter: LogFilter): boolean {
  if (filter.addresses && !filter.addresses.has(log.address.toLowerCase())) return false;
  return filter.topics.every((choice, index) => !choice || choice.has(log.topics[index]?.toLowerCase() ?? ''));
}

function parseChoice(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || value === null) return undefined;
  const choices: unknown[] = Array.isArray(value) ? value : [value];
  if (choices.length === 0) return undefined;
  if (choices.every((choice) => typeof choice === 'string')) {
    return new Set(choices.map((choice) => choice.toLowerCase()));
  }
  throw invalidParams('addresses and topics must be hexadecimal strings');
}

/** The three bits that an address or topic sets in a bloom of 2048. */
type Bits = readonly { readonly byte: number; readonly mask: number }[];

/** One entry for each condition: at least one of its choices must be in the bloom. */
export type BloomQuestion = readonly (readonly Bits[])[];

export function toBloomQuestion({ addresses, topics }: LogFilter): BloomQuestion {
  const conditions = [addresses, ...topics].filter((choices) => choices !== undefined);
  return conditions.map((choices) => [...choices].map(toBits));
}

export function mayHold(bloom: Uint8Array, question: BloomQuestion): boolean {
  return question.every((choices) =>
    choices.some((bits) => bits.every(({ byte, mask }) => ((bloom[byte] ?? 0) & mask) !== 0)),
  );
}

function toBits(value: string): Bits {
  // viem hashes any other string as text, whose bits no bloom would contain.
  const hash = Buffer.from(keccak256(value as Hex).slice(2), 'hex');
  return [0, 2, 4].map((at) => {
    const bit = hash.readUInt16BE(at) & 2047;
    return { byte: 255 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}
