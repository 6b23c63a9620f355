// The room by a clock that is moved by hand: who is believed, who is called, what is stale, what is kept.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PRICE_SOURCES, type PriceSourceName } from '@presage/protocol';
import { ManualClock, SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PriceRoom } from './price-room.ts';

const BTC = 10_000_000_000_000;
let room: PriceRoom;

beforeEach(async () => {
  room = await PriceRoom.open();
});
afterEach(() => room.discard());

const sources = () => room.published.map(({ source }) => source);

describe('the sources', () => {
  it('are the primary alone while it speaks', async () => {
    await room.pass(30, { pyth: BTC, coinbase: BTC, binance: BTC });
    expect(new Set(sources())).toEqual(new Set(['pyth']));
    expect(room.published.length).toBe(30);
    expect(room.running).toEqual(['pyth']);
  });

  it('change to the first fallback within ten seconds of a stall, without the asset becoming stale', async () => {
    await room.pass(10, { pyth: BTC });
    const stalledMs = room.wall.nowMs;
    await room.pass(60, { coinbase: BTC + 5, binance: BTC + 9 });
    const [first] = room.published.filter(({ source }) => source === 'coinbase');
    expect(first!.timeMs - stalledMs).toBeLessThanOrEqual(10_000);
    expect(first).toMatchObject({ price: BTC + 5, simulated: false });
    expect(sources()).not.toContain('binance');
    expect(room.changes).toEqual([['BTC', true]]);
  });

  it('change to the second fallback when the first is unreachable too', async () => {
    await room.pass(10, { pyth: BTC });
    await room.pass(20, { binance: BTC + 9 });
    expect(new Set(sources().slice(10))).toEqual(new Set(['binance']));
    expect(room.changes).toEqual([['BTC', true]]);
  });

  it('go back to the primary as soon as it is good again, and let the fallbacks go later', async () => {
    await room.pass(10, { pyth: BTC });
    await room.pass(20, { coinbase: BTC + 5 });
    await room.pass(2, { pyth: BTC + 7, coinbase: BTC + 5 });
    expect(room.published.at(-1)).toMatchObject({ source: 'pyth', price: BTC + 7 });
    expect(room.running).toContain('coinbase');
    await room.pass(40, { pyth: BTC, coinbase: BTC + 5 });
    expect(room.running).toEqual(['pyth']);
    expect(new Set(sources().slice(-40))).toEqual(new Set(['pyth']));
  });

  it('pass over a primary that repeats itself, and one that says nonsense', async () => {
    await room.pass(5, { pyth: BTC });
    const stuck = room.nowMs;
    for (let second = 0; second < 12; second++) {
      await room.pass(1, { coinbase: BTC + 5 });
      await room.say('pyth', BTC, { timeMs: stuck });
      await room.say('pyth', BTC, { timeMs: room.nowMs + 3_600_000 });
    }
    expect(room.published.at(-1)).toMatchObject({ source: 'coinbase' });
  });

  it('never let a fallback of another market through', async () => {
    await room.say('pyth', BTC, { simulated: false });
    await room.pass(12, { coinbase: BTC * 2, binance: BTC + 9 });
    expect(sources()).not.toContain('coinbase');
    expect(room.published.at(-1)).toMatchObject({ source: 'binance' });
  });
});

describe('an asset', () => {
  it('is stale when all three are unreachable, says so once, and is fresh again with the first good price', async () => {
    await room.pass(10, { pyth: BTC });
    await room.pass(60, {});
    expect([room.prices.isFresh('BTC'), room.prices.isFresh('ETH')]).toEqual([false, false]);
    expect(room.changes).toEqual([
      ['BTC', true],
      ['BTC', false],
    ]);
    expect(room.running).toEqual(['pyth', 'coinbase', 'binance']);
    await room.pass(1, { binance: BTC });
    expect(room.prices.isFresh('BTC')).toBe(true);
    expect(room.changes.at(-1)).toEqual(['BTC', true]);
  });

  it('is stale after a restart until a price of this run has come, whatever is remembered', async () => {
    await room.pass(10, { pyth: BTC });
    await room.close();
    room = await PriceRoom.open(room);
    expect(room.prices.last('BTC')).toMatchObject({ price: BTC });
    expect(room.prices.isFresh('BTC')).toBe(false);
    await room.pass(1, { pyth: BTC });
    expect(room.prices.isFresh('BTC')).toBe(true);
  });

  it('stays fresh through time travel, and its history forgets what is long ago', async () => {
    await room.pass(10, { pyth: BTC });
    expect(room.prices.history('BTC').length).toBe(10);
    room.travel(3_600);
    expect(room.prices.isFresh('BTC')).toBe(true);
    expect(room.prices.history('BTC')).toEqual([]);
    await room.pass(2, { pyth: BTC + 1 });
    expect(room.prices.history('BTC').map(({ price }) => price)).toEqual([BTC + 1, BTC + 1]);
  });
});

describe('the history', () => {
  it('keeps twenty minutes, oldest first, and survives a restart as it was', async () => {
    await room.pass(1_500, { pyth: BTC });
    const kept = room.prices.history('BTC');
    expect(kept.length).toBe(1_201);
    expect(kept.at(-1)!.timeMs - kept[0]!.timeMs).toBe(1_200_000);
    await room.close();
    room = await PriceRoom.open(room);
    expect(room.prices.history('BTC')).toEqual(kept);
    expect(room.prices.since('BTC', kept[700]!.timeMs)).toEqual(kept.slice(701));
    expect(room.prices.since('BTC', kept[0]!.timeMs - 1_000)).toBeUndefined();
    expect(room.prices.since('BTC', kept[700]!.timeMs + 1)).toBeUndefined();
  });

  it('forgets what a run with a clock far ahead has kept, and goes on', async () => {
    await room.pass(3, { pyth: BTC });
    await room.close();
    const wall = new ManualClock(room.wall.nowMs - 86_400_000);
    room = await PriceRoom.open({ dir: room.dir, wall });
    expect(room.prices.last('BTC')).toBeUndefined();
    await room.pass(2, { pyth: BTC + 1 });
    expect(room.prices.history('BTC').map(({ price }) => price)).toEqual([BTC + 1, BTC + 1]);
  });

  it('leaves out a slot that was torn, and nothing else', async () => {
    await room.pass(20, { pyth: BTC });
    const before = room.prices.history('BTC');
    await room.close();
    const torn = before[7]!;
    const file = await open(join(room.dir, 'BTC.ring'), 'r+');
    await file.write(Buffer.from([0xff, 0xff]), 0, 2, (Math.floor(torn.timeMs / 1_000) % 1_280) * 32 + 9);
    await file.close();
    room = await PriceRoom.open(room);
    expect(room.prices.history('BTC')).toEqual(before.filter((price) => price !== torn));
  });
});

it('is in order and at most one a second, whatever the sources do', async () => {
  const seed = seedFromEnv(61_115);
  const random = new SeededRandom(seed);
  for (let step = 0; step < 1_500; step++) {
    room.wall.advanceMs(random.pick([50, 400, 1_000, 3_000]));
    room.prices.tick();
    const source: PriceSourceName = random.pick(PRICE_SOURCES);
    const timeMs = room.nowMs + random.int(-12_000, 6_000);
    await room.say(source, BTC + random.int(-1_000, 1_000), { timeMs, simulated: false });
  }
  const seconds = room.published.map(({ timeMs }) => Math.floor(timeMs / 1_000));
  expect(seconds.length, `seed ${seed}`).toBeGreaterThan(50);
  expect(seconds, `seed ${seed}`).toEqual([...new Set(seconds)].sort((a, b) => a - b));
});
