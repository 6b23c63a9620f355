// CRC-32C against the published vectors of RFC 3720 and a bit-by-bit computation.

import { SeededRandom } from '@presage/testkit';
import { expect, test } from 'vitest';
import { crc32c } from '../src/index.ts';

const ascending = Uint8Array.from({ length: 32 }, (_, index) => index);

test.each([
  ['nothing', new Uint8Array(0), 0x00000000],
  ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
  ['32 zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['32 ascending bytes', ascending, 0x46dd794e],
  ['32 descending bytes', ascending.toReversed(), 0x113fdb5c],
])('the checksum of %s is the published one', (_, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected);
});

function bitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

test('every length and alignment gives what the definition gives', () => {
  const bytes = new SeededRandom(32).bytes(80);
  for (let start = 0; start < 9; start++) {
    for (let end = start; end <= bytes.length; end++) {
      expect(crc32c(bytes, start, end), `bytes ${start} to ${end}`).toBe(bitByBit(bytes.subarray(start, end)));
    }
  }
});
