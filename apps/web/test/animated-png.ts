// Puts screenshots together as an animated PNG, which browsers and README pages show like any picture: after the first frame only what changed is kept.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

export interface Frame {
  /** A screenshot: PNG of 8 bits a channel, not interlaced. All frames have the same size. */
  readonly png: Buffer;
  readonly ms: number;
}

interface Image {
  readonly width: number;
  readonly height: number;
  /** PNG's colour type: 2 is RGB, 6 RGBA. */
  readonly colour: number;
  readonly bytesPerPixel: number;
  readonly pixels: Buffer;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export function animate(frames: readonly Frame[]): Buffer {
  const images = frames.map(({ png }) => decode(png));
  const [first] = images;
  if (first === undefined) throw new Error('an animation needs a frame');
  const header = numbers([4, first.width], [4, first.height], [1, 8], [1, first.colour], [3, 0]);
  const parts = [SIGNATURE, chunk('IHDR', header), chunk('acTL', numbers([4, frames.length], [4, 0]))];
  let sequence = 0;
  images.forEach((image, index) => {
    const box = index === 0 ? { ...image, x: 0, y: 0 } : findChange(images[index - 1]!, image);
    const place = numbers([4, sequence++], [4, box.width], [4, box.height], [4, box.x], [4, box.y]);
    parts.push(chunk('fcTL', Buffer.concat([place, numbers([2, frames[index]!.ms], [2, 1_000], [1, 0], [1, 0])])));
    const data = deflateSync(cut(image, box), { level: 9 });
    parts.push(index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers([4, sequence++]), data])));
  });
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}

function decode(png: Buffer): Image {
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [width, height, colour] = [png.readUInt32BE(16), png.readUInt32BE(20), png.readUInt8(25)];
  const bytesPerPixel = colour === 6 ? 4 : 3;
  const pixels = unfilter(inflateSync(Buffer.concat(data)), width * bytesPerPixel, bytesPerPixel);
  return { width, height, colour, bytesPerPixel, pixels };
}

/** Each row begins with the number of its filter, which predicts a byte from its neighbours to the left and above. */
function unfilter(rows: Buffer, length: number, bytesPerPixel: number): Buffer {
  const height = rows.length / (length + 1);
  const pixels = Buffer.alloc(length * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (length + 1)];
    for (let x = 0; x < length; x++) {
      const at = y * length + x;
      const left = x < bytesPerPixel ? 0 : pixels[at - bytesPerPixel]!;
      const above = y === 0 ? 0 : pixels[at - length]!;
      const corner = y === 0 || x < bytesPerPixel ? 0 : pixels[at - length - bytesPerPixel]!;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0]!;
      pixels[at] = rows[y * (length + 1) + 1 + x]! + guess;
    }
  }
  return pixels;
}

function paeth(left: number, above: number, corner: number): number {
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((each) => Math.abs(left + above - corner - each));
  if (toLeft! <= toAbove! && toLeft! <= toCorner!) return left;
  return toAbove! <= toCorner! ? above : corner;
}

/** The smallest box that holds every pixel which differs; one pixel where none does. */
function findChange(before: Image, after: Image): Box {
  const { width, height, bytesPerPixel } = after;
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let at = 0; at < after.pixels.length; at++) {
    if (before.pixels[at] === after.pixels[at]) continue;
    const pixel = Math.floor(at / bytesPerPixel);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  if (left > right) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** The box's rows without a filter: flat colours compress best so. */
function cut({ width, bytesPerPixel, pixels }: Image, box: Box): Buffer {
  const rows = Array.from({ length: box.height }, (_, row) => {
    const start = ((box.y + row) * width + box.x) * bytesPerPixel;
    return Buffer.concat([Buffer.of(0), pixels.subarray(start, start + box.width * bytesPerPixel)]);
  });
  return Buffer.concat(rows);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers([4, data.length]), body, numbers([4, crc32(body)])]);
}

/** Big-endian numbers, each with its length in bytes. */
function numbers(...fields: readonly (readonly [length: number, value: number])[]): Buffer {
  const bytes = fields.map(([length, value]) => {
    const buffer = Buffer.alloc(length);
    buffer.writeUIntBE(value, 0, length);
    return buffer;
  });
  return Buffer.concat(bytes);
}
