// Asks a block's bloom whether the block can hold logs of certain addresses and topics.
import { type Hex, keccak256 } from 'viem';
import type { LogFilter } from '../rpc/log-filter.ts';

/** The three bits that an address or topic sets in a bloom of 2048. */
type Bits = readonly { readonly byte: number; readonly mask: number }[];

/** One entry for each condition: any of its choices must be in the bloom. */
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
  // viem hashes other text as text, which no bloom holds.
  const hash = Buffer.from(keccak256(value as Hex).slice(2), 'hex');
  return [0, 2, 4].map((at) => {
    const bit = hash.readUInt16BE(at) & 2047;
    return { byte: 255 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}
