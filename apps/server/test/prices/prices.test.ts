// Prices on a clock that the test moves: which source is trusted, which is started, what is stale, what is stored.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PRICE_SOURCES, type PriceSourceName } from '@presage/protocol';
import { ManualClock, SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AssetFeed } from '../../src/prices/asset-feed.ts';
import { PriceFixture } from './price-fixture.ts';

const BTC = 10_000_000_000_000;
let fixture: PriceFixture;

beforeEach(async () => {
  fixture = await PriceFixture.open();
});
afterEach(() => fixture.discard());

const sources = () => fixture.published.map(({ source }) => source);

describe('the sources', () => {
  it('are the primary alone while it publishes', async () => {
    await fixture.pass(30, { pyth: BTC, coinbase: BTC, binance: BTC });
    expect(new Set(sources())).toEqual(new Set(['pyth']));
    expect(fixture.published.length).toBe(30);
    expect(fixture.running).toEqual(['pyth']);
  });

  it('change to the first fallback within ten seconds of a stall, without the asset becoming stale', async () => {
    await fixture.pass(10, { pyth: BTC });
    const stalledMs = fixture.wall.nowMs;
    await fixture.pass(60, { coinbase: BTC + 5, binance: BTC + 9 });
    const [first] = fixture.published.filter(({ source }) => source === 'coinbase');
    expect(first!.timeMs - stalledMs).toBeLessThanOrEqual(10_000);
    expect(first).toMatchObject({ price: BTC + 5, simulated: false });
    expect(sources()).not.toContain('binance');
    expect(fixture.changes).toEqual([['BTC', true]]);
  });

  it('change to the second fallback when the first is unreachable too', async () => {
    await fixture.pass(10, { pyth: BTC });
    await fixture.pass(20, { binance: BTC + 9 });
    expect(new Set(sources().slice(10))).toEqual(new Set(['binance']));
    expect(fixture.changes).toEqual([['BTC', true]]);
  });

  it('return to the primary as soon as it is good again, and drop the fallbacks later', async () => {
    await fixture.pass(10, { pyth: BTC });
    await fixture.pass(20, { coinbase: BTC + 5 });
    await fixture.pass(2, { pyth: BTC + 7, coinbase: BTC + 5 });
    expect(fixture.published.at(-1)).toMatchObject({ source: 'pyth', price: BTC + 7 });
    expect(fixture.running).toContain('coinbase');
    await fixture.pass(40, { pyth: BTC, coinbase: BTC + 5 });
    expect(fixture.running).toEqual(['pyth']);
    expect(new Set(sources().slice(-40))).toEqual(new Set(['pyth']));
  });

  it('skip a primary that repeats itself or sends nonsense', async () => {
    await fixture.pass(5, { pyth: BTC });
    const stuck = fixture.nowMs;
    for (let second = 0; second < 12; second++) {
      await fixture.pass(1, { coinbase: BTC + 5 });
      await fixture.say('pyth', BTC, { timeMs: stuck });
      await fixture.say('pyth', BTC, { timeMs: fixture.nowMs + 3_600_000 });
    }
    expect(fixture.published.at(-1)).toMatchObject({ source: 'coinbase' });
  });

  it('never let a fallback of another market through', async () => {
    await fixture.say('pyth', BTC, { simulated: false });
    await fixture.pass(12, { coinbase: BTC * 2, binance: BTC + 9 });
    expect(sources()).not.toContain('coinbase');
    expect(fixture.published.at(-1)).toMatchObject({ source: 'binance' });
  });
});

describe('an asset', () => {
  it('is stale when all three are unreachable, says so once, and is fresh again with the first good price', async () => {
    await fixture.pass(10, { pyth: BTC });
    await fixture.pass(60, {});
    expect([fixture.prices.isFresh('BTC'), fixture.prices.isFresh('ETH')]).toEqual([false, false]);
    expect(fixture.changes).toEqual([
      ['BTC', true],
      ['BTC', false],
    ]);
    expect(fixture.running).toEqual(['pyth', 'coinbase', 'binance']);
    await fixture.pass(1, { binance: BTC });
    expect(fixture.prices.isFresh('BTC')).toBe(true);
    expect(fixture.changes.at(-1)).toEqual(['BTC', true]);
  });

  it('is stale after a restart until a new price arrives, whatever is stored', async () => {
    await fixture.pass(10, { pyth: BTC });
    await fixture.close();
    fixture = await PriceFixture.open(fixture);
    expect(fixture.prices.last('BTC')).toMatchObject({ price: BTC });
    expect(fixture.prices.isFresh('BTC')).toBe(false);
    await fixture.pass(1, { pyth: BTC });
    expect(fixture.prices.isFresh('BTC')).toBe(true);
  });

  it('is stale while the clock has been set back: every new price is ahead of it', () => {
    const wallMs = 1_800_000_000_000;
    const quote = { asset: 'BTC', price: BTC, timeMs: wallMs, source: 'pyth', simulated: true } as const;
    const feed = new AssetFeed({ asset: 'BTC', sources: ['pyth'], allowsSimulated: true, wallMs, last: undefined });
    feed.offer(quote, { nowMs: wallMs, wallMs });
    const atMs = wallMs - 3_600_000;
    const next = { ...quote, timeMs: wallMs + 1_000 };
    expect(feed.offer(next, { nowMs: atMs, wallMs: atMs })).toEqual({ fault: 'ahead' });
    expect([feed.isFresh(wallMs), feed.isFresh(atMs)]).toEqual([true, false]);
  });

  it('stays fresh through time travel, and its history drops old prices', async () => {
    await fixture.pass(10, { pyth: BTC });
    expect(fixture.prices.history('BTC').length).toBe(10);
    fixture.travel(3_600);
    expect(fixture.prices.isFresh('BTC')).toBe(true);
    expect(fixture.prices.history('BTC')).toEqual([]);
    await fixture.pass(2, { pyth: BTC + 1 });
    expect(fixture.prices.history('BTC').map(({ price }) => price)).toEqual([BTC + 1, BTC + 1]);
  });
});

describe('the history', () => {
  it('keeps twenty minutes, oldest first, and survives a restart as it was', async () => {
    await fixture.pass(1_500, { pyth: BTC });
    const kept = fixture.prices.history('BTC');
    expect(kept.length).toBe(1_201);
    expect(kept.at(-1)!.timeMs - kept[0]!.timeMs).toBe(1_200_000);
    await fixture.close();
    fixture = await PriceFixture.open(fixture);
    expect(fixture.prices.history('BTC')).toEqual(kept);
    expect(fixture.prices.since('BTC', kept[700]!.timeMs)).toEqual(kept.slice(701));
    expect(fixture.prices.since('BTC', kept[0]!.timeMs - 1_000)).toBeUndefined();
    expect(fixture.prices.since('BTC', kept[700]!.timeMs + 1)).toBeUndefined();
  });

  it('drops prices of a run whose clock was far ahead, and continues', async () => {
    await fixture.pass(3, { pyth: BTC });
    await fixture.close();
    const wall = new ManualClock(fixture.wall.nowMs - 86_400_000);
    fixture = await PriceFixture.open({ dir: fixture.dir, wall });
    expect(fixture.prices.last('BTC')).toBeUndefined();
    await fixture.pass(2, { pyth: BTC + 1 });
    expect(fixture.prices.history('BTC').map(({ price }) => price)).toEqual([BTC + 1, BTC + 1]);
  });

  it('skips only a torn slot', async () => {
    await fixture.pass(20, { pyth: BTC });
    const before = fixture.prices.history('BTC');
    await fixture.close();
    const torn = before[7]!;
    const file = await open(join(fixture.dir, 'BTC.ring'), 'r+');
    await file.write(Buffer.from([0xff, 0xff]), 0, 2, (Math.floor(torn.timeMs / 1_000) % 1_280) * 32 + 9);
    await file.close();
    fixture = await PriceFixture.open(fixture);
    expect(fixture.prices.history('BTC')).toEqual(before.filter((price) => price !== torn));
  });
});

it('is in order and at most one a second, whatever the sources do', async () => {
  const seed = seedFromEnv(61_115);
  const random = new SeededRandom(seed);
  for (let step = 0; step < 1_500; step++) {
    fixture.wall.advanceMs(random.pick([50, 400, 1_000, 3_000]));
    fixture.prices.tick();
    const source: PriceSourceName = random.pick(PRICE_SOURCES);
    const timeMs = fixture.nowMs + random.int(-12_000, 6_000);
    await fixture.say(source, BTC + random.int(-1_000, 1_000), { timeMs, simulated: false });
  }
  const seconds = fixture.published.map(({ timeMs }) => Math.floor(timeMs / 1_000));
  expect(seconds.length, `seed ${seed}`).toBeGreaterThan(50);
  expect(seconds, `seed ${seed}`).toEqual([...new Set(seconds)].sort((a, b) => a - b));
});
