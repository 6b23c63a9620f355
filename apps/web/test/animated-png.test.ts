// An animated PNG holds its first frame whole, and of the others what changed.
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { animate } from './animated-png.ts';

const [WIDTH, HEIGHT] = [4, 3];

/** RGB rows without a filter. */
function picture(colourOf: (x: number, y: number) => readonly number[]): Buffer {
  const rows = Array.from({ length: HEIGHT }, (_, y) => [
    0,
    ...Array.from({ length: WIDTH }, (_, x) => colourOf(x, y)).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2], 8);
  const parts = [
    part('IHDR', header),
    part('IDAT', deflateSync(Buffer.from(rows.flat()))),
    part('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

function part(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function readParts(png: Buffer): { type: string; data: Buffer }[] {
  const parts: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    parts.push({ type: png.toString('latin1', at + 4, at + 8), data });
  }
  return parts;
}

it('keeps the box of the pixels that differ, with its place', () => {
  const black = picture(() => [0, 0, 0]);
  const dotted = picture((x, y) => (x >= 1 && x <= 2 && y === 2 ? [9, 8, 7] : [0, 0, 0]));
  const parts = readParts(
    animate([
      { png: black, ms: 100 },
      { png: dotted, ms: 200 },
    ]),
  );
  expect(parts.map(({ type }) => type)).toEqual(['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND']);
  const place = parts[4]!.data;
  const [sequence, width, height, x, y] = [0, 4, 8, 12, 16].map((at) => place.readUInt32BE(at));
  expect({ sequence, width, height, x, y }).toEqual({ sequence: 1, width: 2, height: 1, x: 1, y: 2 });
  expect([...inflateSync(parts[5]!.data.subarray(4))]).toEqual([0, 9, 8, 7, 9, 8, 7]);
});
