// The binary layout of a frame: a golden vector, every damaged byte, and limits.

import { expect, test } from 'vitest';
import { crc32c, decodeFrame, encodeFrame, type FrameHeader, MAX_FRAME_BYTES } from '../src/index.ts';
import { record, texts } from './journal-contents.ts';

const header: FrameHeader = {
  partition: 'chain-31337',
  epoch: 3,
  firstSeq: 4_294_967_297,
  timeMs: 1_700_000_000_000,
  previousHash: Uint8Array.from({ length: 32 }, (_, index) => index),
};
const records = [record('{"a":1}'), record('')];

// Written out by hand from the table in frame.ts: changing it breaks every journal there is.
const GOLDEN = [
  'f8504a46 ........ 6f000000 0100 0000 03000000 02000000',
  '0100000001000000 0068e5cf8b010000',
  '636861696e2d3331333337 00000000000000000000000000',
  '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
  '07000000 7b2261223a317d 00000000',
]
  .join('')
  .replaceAll(' ', '');

test('a frame has the documented bytes', () => {
  const bytes = Buffer.from(encodeFrame(header, records));
  const checksum = bytes.subarray(4, 8);
  expect(bytes.toString('hex')).toBe(GOLDEN.replace('........', checksum.toString('hex')));
  expect(checksum.readUInt32LE()).toBe(crc32c(bytes, 8));
});

test('a frame decodes to what was encoded', () => {
  const frame = decodeFrame(encodeFrame(header, records));
  if ('fault' in frame) throw new Error(frame.fault);
  expect(frame).toMatchObject({
    partition: 'chain-31337',
    epoch: 3,
    timeMs: header.timeMs,
    lastSeq: header.firstSeq + 1,
  });
  expect(texts(frame)).toEqual(['{"a":1}', '']);
});

test('a frame written into a used buffer is the same as one in fresh memory', () => {
  const used = new Uint8Array(500).fill(0xaa);
  expect(Buffer.compare(encodeFrame(header, records, used), encodeFrame(header, records))).toBe(0);
});

test('every flipped bit of a frame is noticed', () => {
  const whole = encodeFrame(header, records);
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const damaged = whole.slice();
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    expect(decodeFrame(damaged), `bit ${bit}`).toHaveProperty('fault');
  }
});

test('every shortened frame is noticed', () => {
  const whole = encodeFrame(header, records);
  for (let length = 0; length < whole.length; length++) {
    expect(decodeFrame(whole.subarray(0, length)), `length ${length}`).toEqual({ fault: 'length' });
  }
});

function resealed(change: (view: DataView) => void): Uint8Array {
  const bytes = encodeFrame(header, records);
  const view = new DataView(bytes.buffer);
  change(view);
  view.setUint32(4, crc32c(bytes, 8), true);
  return bytes;
}

test.each([
  ['a later format version', (view: DataView) => view.setUint16(12, 2, true), 'version'],
  ['no records', (view: DataView) => view.setUint32(20, 0, true), 'layout'],
  ['more records than fit', (view: DataView) => view.setUint32(20, 0xffffffff, true), 'layout'],
  ['fewer records than there are', (view: DataView) => view.setUint32(20, 1, true), 'layout'],
  ['a record longer than the frame', (view: DataView) => view.setUint32(96, 1000, true), 'layout'],
  ['sequence zero', (view: DataView) => view.setBigUint64(24, 0n, true), 'layout'],
  ['a sequence past the safe integers', (view: DataView) => view.setBigUint64(24, 2n ** 53n, true), 'layout'],
  ['an upper-case partition', (view: DataView) => view.setUint8(40, 0x41), 'layout'],
  ['bytes after the end of the name', (view: DataView) => view.setUint8(60, 0x61), 'layout'],
])('a frame with %s and a good checksum is refused', (_, change, fault) => {
  expect(decodeFrame(resealed(change))).toEqual({ fault });
});

test.each([
  ['no record', { ...header }, []],
  ['a bad partition name', { ...header, partition: 'M0' }, records],
  ['a fractional time', { ...header, timeMs: 0.5 }, records],
  ['a negative epoch', { ...header, epoch: -1 }, records],
  ['sequence zero', { ...header, firstSeq: 0 }, records],
  ['too many bytes', header, [new Uint8Array(MAX_FRAME_BYTES)]],
])('a frame with %s is not encoded', (_, bad, content) => {
  expect(() => encodeFrame(bad, content)).toThrow(RangeError);
});
