// Orders of contract wallets in a packed batch: where their signatures lie.
import { markWalletSignature } from '@presage/protocol';
import { hexToBytes, size, sliceHex, zeroHash } from 'viem';
import { expect, it } from 'vitest';
import { packBatch } from '../src/packed-batch.ts';

const order = {
  marketId: zeroHash,
  trader: `0x${'11'.repeat(20)}`,
  side: 0,
  outcome: 0,
  price: 500_000,
  size: 1_000_000,
  nonce: 1n,
  expiration: 9n,
} as const;
const long = `0x${'ab'.repeat(130)}` as const;
const short = `0x${'cd'.repeat(65)}` as const;

it('behind the last order, padded to whole orders, a key’s where it always was', () => {
  const key = `0x${'01'.repeat(64)}1b` as const;
  const signatures = [markWalletSignature(hexToBytes(long)), key, markWalletSignature(hexToBytes(short))];
  const [, packed] = packBatch({ orders: signatures.map((signature) => ({ order, signature })), fills: [] });
  expect(size(packed) % 112).toBe(0);
  const placeOf = (index: number) => BigInt(sliceHex(packed, index * 112 + 48, index * 112 + 80));
  const at = (place: bigint) => sliceHex(packed, Number(place >> 128n), Number((place >> 128n) + (place & 0xffffn)));
  expect(at(placeOf(0))).toBe(long);
  expect(at(placeOf(2))).toBe(short);
  for (const index of [0, 2]) expect(BigInt(sliceHex(packed, index * 112 + 80, index * 112 + 112))).toBe(0n);
  expect(sliceHex(packed, 112 + 48, 112 + 80)).toBe(`0x${'01'.repeat(32)}`);
});
