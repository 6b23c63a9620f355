// Whatever happens to the bytes of a price ring, it shows what was written or less, never something else.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRICE_SOURCES } from '@presage/protocol';
import { isLongRun } from '@presage/testkit';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Price } from '../../src/prices/ports.ts';
import { PriceRing } from '../../src/prices/price-ring.ts';

const SLOT_BYTES = 32;
/** Bits from one flip to the next. */
const STEP = isLongRun ? 1 : 37;

const priceAt = (asset: string, second: number): Price => ({
  asset,
  price: 10_000_000 + second,
  timeMs: 1_794_000_000_000 + second * 1_000,
  source: PRICE_SOURCES[second % PRICE_SOURCES.length]!,
  simulated: second % 2 === 0,
});

let written: Price[];
let bytes: Buffer;

async function withRing<T>(asset: string, use: (ring: PriceRing, path: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-ring-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const path = join(dir, `${asset}.ring`);
  if (bytes !== undefined) await writeFile(path, bytes);
  const ring = await PriceRing.open(path, asset);
  try {
    return await use(ring, path);
  } finally {
    await ring.close();
  }
}

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'presage-ring-'));
  const path = join(dir, 'BTC.ring');
  const ring = await PriceRing.open(path, 'BTC');
  written = Array.from({ length: 12 }, (_, second) => priceAt('BTC', second));
  for (const price of written) await ring.write(price);
  await ring.close();
  bytes = await readFile(path);
  await rm(dir, { recursive: true });
});

it('leaves out exactly the second in which a bit was flipped', async () => {
  const usedAt = bytes.findIndex((byte) => byte !== 0);
  const from = usedAt - (usedAt % SLOT_BYTES);
  let flips = 0;
  await withRing('BTC', async (_ring, path) => {
    for (let bit = from * 8; bit < (from + written.length * SLOT_BYTES) * 8; bit += STEP) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      await writeFile(path, damaged);
      const ring = await PriceRing.open(path, 'BTC');
      const hit = written[Math.floor(((bit >> 3) - from) / SLOT_BYTES)]!;
      expect(await ring.load(), `bit ${bit}`).toEqual(written.filter((price) => price !== hit));
      await ring.close();
      flips++;
    }
  });
  process.stderr.write(`${flips} bit flips in the price ring were noticed\n`);
});

it('shows nothing of a file that belongs to another asset, nor of a slot in another place', async () => {
  await withRing('ETH', async (ring) => expect(await ring.load()).toEqual([]));
  await withRing('BTC', async (_ring, path) => {
    const moved = Buffer.concat([Buffer.alloc(SLOT_BYTES), bytes]);
    await writeFile(path, moved);
    const ring = await PriceRing.open(path, 'BTC');
    expect(await ring.load()).toEqual([]);
    await ring.close();
  });
});
