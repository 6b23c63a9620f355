// The book hash is the published sum, computed here a second time with Node's own SHA-256.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addHash, formatHash, hashLevels, levelHash, subtractHash, toChecksumAddress } from '../src/index.ts';

const published = (text: string) => createHash('sha256').update(text).digest().readBigUInt64BE(0);

describe('book hash', () => {
  it('of an empty book is sixteen zeros', () => {
    expect(formatHash(hashLevels(0, [], []))).toBe('0000000000000000');
  });

  it('is the sum over the levels modulo 2^64', () => {
    const bids = [
      { price: 550_000, size: 10n ** 18n },
      { price: 1, size: 5 },
    ];
    const asks = [{ price: 560_000, size: 7 }];
    const sum = published('1:0:550000:1000000000000000000') + published('1:0:1:5') + published('1:1:560000:7');
    expect(hashLevels(1, bids, asks)).toBe(sum % (1n << 64n));
  });

  it('can be changed level by level', () => {
    const before = hashLevels(0, [{ price: 5, size: 1 }], []);
    const after = addHash(subtractHash(before, levelHash(0, 0, 5, 1)), levelHash(0, 0, 5, 2));
    expect(after).toBe(hashLevels(0, [{ price: 5, size: 2 }], []));
    expect(subtractHash(after, levelHash(0, 0, 5, 2))).toBe(0n);
  });
});

describe('checksum address', () => {
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ] as const)('%s is the form of EIP-55', (address) => {
    expect(toChecksumAddress(address.toLowerCase() as typeof address)).toBe(address);
  });
});
