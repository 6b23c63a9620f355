// The update's bytes against an independent encoder, and its signature against viem's recovery.
import { encodePacked, keccak256, recoverAddress, size, slice, stringToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { encodePriceUpdate, hashPriceUpdate, type PriceUpdate, packPriceUpdate, toHex } from '../src/index.ts';

const UPDATE: PriceUpdate = {
  feedId: `0x${'e6'.repeat(32)}` as const,
  price: 6_512_345_678_901n,
  conf: 12_345n,
  expo: -8,
  publishTime: 1_800_000_000,
  prevPublishTime: 1_799_999_999,
};

function packedByViem(update: PriceUpdate): `0x${string}` {
  return encodePacked(
    ['bytes4', 'bytes32', 'int64', 'uint64', 'int32', 'uint64', 'uint64'],
    [
      stringToHex('PPU1'),
      update.feedId,
      update.price,
      update.conf,
      update.expo,
      BigInt(update.publishTime),
      BigInt(update.prevPublishTime),
    ],
  );
}

describe('a price update', () => {
  test.each([
    ['an ordinary price', UPDATE],
    ['the lowest price', { ...UPDATE, price: -(2n ** 63n) }],
    ['the largest of everything', { ...UPDATE, price: 2n ** 63n - 1n, conf: 2n ** 64n - 1n, expo: 2 ** 31 - 1 }],
  ])('is packed tightly, big-endian: %s', (_, update) => {
    expect(toHex(encodePriceUpdate(update))).toBe(packedByViem(update));
    expect(hashPriceUpdate(update)).toBe(keccak256(packedByViem(update)));
  });

  test('carries a signature that recovers to the key that signed its digest', async () => {
    const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
    const payload = packPriceUpdate(UPDATE, await account.sign({ hash: hashPriceUpdate(UPDATE) }));
    expect(size(payload)).toBe(137);
    expect(slice(payload, 0, 72)).toBe(packedByViem(UPDATE));
    const signer = await recoverAddress({ hash: hashPriceUpdate(UPDATE), signature: slice(payload, 72) });
    expect(signer).toBe(account.address);
  });
});
