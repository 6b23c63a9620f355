// Rewards for resting orders: shares of a pool by hand, and what holds for every history.
import { Engine } from '@presage/engine';
import { type EngineCommand, isJournalled, type JournalRecord, type PlaceOrder } from '@presage/protocol';
import {
  createOrderBuilders,
  listMarket,
  ManualClock,
  SeededRandom,
  seedFromEnv,
  TEST_MARKET,
  TRADERS,
} from '@presage/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { RewardCount, type RewardTerms } from '../../src/rewards/index.ts';

const HOUR_MS = 3_600_000;
const SHARE = 1_000_000n;

let clock: ManualClock;
let engine: Engine;
let traders: ReturnType<typeof createOrderBuilders>;
let records: JournalRecord[];
let startMs: number;

beforeEach(() => {
  clock = new ManualClock();
  startMs = clock.nowMs;
  engine = new Engine();
  traders = createOrderBuilders(clock);
  records = [];
  play(listMarket(clock.nowMs));
});

function play(command: EngineCommand): JournalRecord[] {
  const made = engine.apply({ ...command, timeMs: clock.nowMs }).filter(isJournalled);
  records.push(...made);
  return made;
}

function cancel({ orderHash }: PlaceOrder): void {
  play({ type: 'cancel-order', marketId: TEST_MARKET, orderHash, reason: 'user', timeMs: clock.nowMs });
}

function rewards(changes: Partial<RewardTerms> = {}) {
  const terms: RewardTerms = {
    marketId: TEST_MARKET,
    fromMs: startMs,
    toMs: startMs + HOUR_MS,
    epochMs: HOUR_MS,
    spread: 30_000,
    minSize: 10n * SHARE,
    pool: 100n * SHARE,
    ...changes,
  };
  const count = new RewardCount(terms);
  for (const record of records) count.add(record);
  count.reach(clock.nowMs);
  return count.epochs().map((epoch) => ({
    paid: epoch.paid,
    of: Object.fromEntries(epoch.rewards.map(({ wallet, amount }) => [nameOf(wallet), amount])),
  }));
}

function nameOf(wallet: string): string {
  const found = Object.entries(TRADERS).find(([, address]) => address === wallet.toLowerCase());
  return found?.[0] ?? wallet;
}

describe('the rewards of an epoch', () => {
  it('go by size times time within the spread', () => {
    play(traders.aliceBuysYes({ price: '0.48', size: '100' }));
    play(traders.bobSellsYes({ price: '0.52', size: '100' }));
    clock.advanceMs(HOUR_MS / 2);
    // Carol is there for half of the hour, and with twice the size.
    play(traders.carolSellsYes({ price: '0.52', size: '200' }));
    clock.advanceMs(HOUR_MS / 2);
    const third = (100n * SHARE) / 3n;
    expect(rewards()).toEqual([{ paid: 3n * third, of: { alice: third, bob: third, carol: third } }]);
  });

  it('leave out orders farther from the middle than the spread, and count those that are just as far', () => {
    play(traders.aliceBuysYes({ price: '0.48', size: '100' }));
    play(traders.bobSellsYes({ price: '0.52', size: '100' }));
    play(traders.carolBuysYes({ price: '0.47', size: '100' }));
    play(traders.daveSellsYes({ price: '0.530001', size: '100' }));
    clock.advanceMs(HOUR_MS);
    expect(Object.keys(rewards()[0]?.of ?? {}).sort()).toEqual(['alice', 'bob', 'carol']);
  });

  it('need two sides of a book: without one there is no middle', () => {
    play(traders.aliceBuysYes({ price: '0.48', size: '100' }));
    play(traders.bobSellsNo({ price: '0.52', size: '100' }));
    clock.advanceMs(HOUR_MS);
    expect(rewards()).toEqual([{ paid: 0n, of: {} }]);
  });

  it('are not moved by a crumb in front of the book, which earns nothing itself', () => {
    play(traders.aliceBuysYes({ price: '0.40', size: '100' }));
    play(traders.bobSellsYes({ price: '0.42', size: '100' }));
    play(traders.carolBuysYes({ price: '0.41', size: '9' }));
    clock.advanceMs(HOUR_MS);
    expect(Object.keys(rewards({ spread: 10_000 })[0]?.of ?? {}).sort()).toEqual(['alice', 'bob']);
  });

  it('end with a fill and with a cancellation', () => {
    const bid = traders.aliceBuysYes({ price: '0.48', size: '100' });
    play(bid);
    play(traders.bobSellsYes({ price: '0.52', size: '100' }));
    play(traders.carolBuysYes({ price: '0.48', size: '100' }));
    clock.advanceMs(HOUR_MS / 2);
    cancel(bid);
    play(traders.daveBuysYes({ price: '0.52', size: '50' }));
    clock.advanceMs(HOUR_MS / 2);
    // Shares times half hours: alice 1, bob 1 and 0.5, carol 2.
    const part = (tenths: bigint) => (100n * SHARE * tenths) / 45n;
    expect(rewards()[0]?.of).toEqual({ alice: part(10n), bob: part(15n), carol: part(20n) });
  });

  it('are computed for every epoch by itself, and none for time that the journal has not reached', () => {
    play(traders.aliceBuysYes({ price: '0.48', size: '100' }));
    play(traders.bobSellsYes({ price: '0.52', size: '300' }));
    clock.advanceMs(HOUR_MS / 2);
    const half = { alice: 25n * SHARE, bob: 75n * SHARE };
    const epochs = rewards({ epochMs: HOUR_MS / 4 });
    expect(epochs.map(({ of }) => of)).toEqual([half, half, {}, {}]);
  });

  it('count a restored order again', () => {
    play(traders.aliceBuysYes({ price: '0.48', size: '100' }));
    play(traders.bobSellsYes({ price: '0.52', size: '100' }));
    const [, trade] = play(traders.carolBuysYes({ price: '0.52', size: '100' }));
    if (trade?.type !== 'trade-matched') return expect.unreachable(trade?.type);
    clock.advanceMs(HOUR_MS / 2);
    const step = { marketId: TEST_MARKET, timeMs: clock.nowMs, step: 99, type: 'order-restored' } as const;
    records.push({ ...step, orderHash: trade.makerHash, size: trade.size, tradeId: trade.tradeId });
    clock.advanceMs(HOUR_MS / 2);
    expect(rewards()[0]?.of).toEqual({ alice: 50n * SHARE, bob: 50n * SHARE });
  });
});

describe('whatever the history', () => {
  const first = seedFromEnv(40);
  const seeds = Array.from({ length: 20 }, (_, index) => first + index);

  interface Drawn {
    readonly verb: 'aliceBuysYes' | 'carolBuysYes' | 'bobSellsYes' | 'daveSellsYes';
    readonly price: string;
    readonly halfUnits: number;
    readonly waitMs: number;
    readonly cancels: boolean;
  }

  function draw(seed: number): Drawn[] {
    const random = new SeededRandom(seed);
    const verbs = ['aliceBuysYes', 'carolBuysYes', 'bobSellsYes', 'daveSellsYes'] as const;
    return Array.from({ length: 60 }, () => ({
      verb: verbs[random.below(4)] ?? 'aliceBuysYes',
      price: (random.int(450_000, 550_000) / 1e6).toFixed(6),
      halfUnits: random.int(1_000_000, 60_000_000),
      waitMs: random.int(0, HOUR_MS / 40),
      cancels: random.below(3) === 0,
    }));
  }

  function run(drawn: readonly Drawn[], parts: 1 | 2) {
    clock = new ManualClock();
    startMs = clock.nowMs;
    [engine, traders, records] = [new Engine(), createOrderBuilders(clock), []];
    play(listMarket(clock.nowMs));
    for (const { verb, price, halfUnits, waitMs, cancels } of drawn) {
      const size = ((halfUnits * 2) / parts / 1e6).toFixed(6);
      const placed = Array.from({ length: parts }, () => traders[verb]({ price, size }));
      for (const order of placed) play(order);
      clock.advanceMs(waitMs);
      if (cancels) for (const order of placed) if (engine.order(order.orderHash)?.status === 'open') cancel(order);
    }
    return rewards({ epochMs: HOUR_MS / 3, pool: 1_000_003n });
  }

  it.each(seeds)('two halves of every order earn what the whole earns: seed %i', (seed) => {
    const drawn = draw(seed);
    const whole = run(drawn, 1);
    expect(run(drawn, 2)).toEqual(whole);
    expect(whole.some(({ paid }) => paid > 0n)).toBe(true);
  });

  it.each(seeds)('no epoch pays more than its pool, and less only by what is rounded off: seed %i', (seed) => {
    for (const { paid, of } of run(draw(seed), 1)) {
      const wallets = BigInt(Object.keys(of).length);
      expect(paid).toBeLessThanOrEqual(1_000_003n);
      if (wallets > 0n) expect(1_000_003n - paid).toBeLessThan(wallets);
    }
  });
});
