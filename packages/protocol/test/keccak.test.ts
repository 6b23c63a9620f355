// The hash of transactions is the wallet library's own, for every length around a block of the hash and for a full batch.
import { keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { openKeccak } from '../src/index.ts';

/** Bytes that keccak-256 absorbs at once. */
const RATE = 136;

describe('keccak', () => {
  it.each([0, 1, RATE - 1, RATE, RATE + 1, 2 * RATE, 45_000])('equals viem for %i bytes', async (length) => {
    const keccak = await openKeccak();
    const bytes = `0x${Buffer.from(Array.from({ length }, (_, index) => index % 251)).toString('hex')}` as const;
    expect(keccak(bytes)).toBe(keccak256(bytes));
  });

  it('starts anew with every text, whoever shares the hasher', async () => {
    const [first, second] = await Promise.all([openKeccak(), openKeccak()]);
    expect([first('0x01'), second('0x02'), first('0x01')]).toEqual(
      ['0x01', '0x02', '0x01'].map((text) => keccak256(text as `0x${string}`)),
    );
  });
});
