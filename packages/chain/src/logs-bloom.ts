// Asks a block header's bloom filter whether a log could be in the block: "no" is certain, "yes" is not.

import type { Hex } from '@presage/protocol';
import type { Address } from 'viem';
import { hexToBytes, keccak256 } from 'viem';

/** Positions are alternatives: any address, and for every topic position any of its values; null matches all. */
export interface LogFilter {
  readonly addresses?: readonly Address[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

/** A fixed list, or one that is read again at each use. */
export type LogFilters = readonly LogFilter[] | (() => readonly LogFilter[]);

const BLOOM_BYTES = 256;
const BLOOM_BITS = BLOOM_BYTES * 8;

export class BloomQuery {
  readonly #groups: readonly (readonly (readonly number[])[])[];

  constructor(filter: LogFilter) {
    const topics = (filter.topics ?? []).map((topic) => (typeof topic === 'string' ? [topic] : topic));
    const groups = [filter.addresses ?? null, ...topics].filter((group) => group !== null);
    this.#groups = groups.filter((group) => group.length > 0).map((group) => group.map(toBits));
  }

  mayMatch(logsBloom: Hex): boolean {
    const bloom = hexToBytes(logsBloom);
    // A node that keeps no bloom proves nothing either way.
    if (bloom.length !== BLOOM_BYTES) return true;
    return this.#groups.every((group) => group.some((bits) => bits.every((bit) => isSet(bloom, bit))));
  }
}

function toBits(value: Hex): number[] {
  const hash = keccak256(hexToBytes(value), 'bytes');
  return [0, 2, 4].map((index) => ((hash[index]! << 8) | hash[index + 1]!) % BLOOM_BITS);
}

function isSet(bloom: Uint8Array, bit: number): boolean {
  return (bloom[BLOOM_BYTES - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
}
