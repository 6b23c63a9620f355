// Events as lists and single answers show them: over a real engine and a real view.
import { Engine } from '@presage/engine';
import {
  type Bytes32,
  type EngineCommand,
  isJournalled,
  type MarketFacts,
  type MarketResolution,
  PresageError,
} from '@presage/protocol';
import { createOrderBuilders, eventFacts, listMarket, ManualClock, SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseEvents, EventsByAge, parseEventCursor } from '../../src/api/event-list.ts';
import { EventReader, eventOf, toEventQuote } from '../../src/api/mappers/event.ts';
import type { PartitionLog } from '../../src/host/partition-log.ts';
import { listMarketFigures } from '../../src/projections/figures/figures-queries.ts';
import { listSparklines } from '../../src/projections/figures/sparkline-queries.ts';
import type { Projector } from '../../src/projections/projector.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { ViewFixture } from '../projections/view-fixture.ts';

const SEED = seedFromEnv(11);
const NAMES = ['Ada', 'Bea', 'Cleo'];
const NO_FILTER = {
  chainId: undefined,
  status: undefined,
  category: undefined,
  search: undefined,
  limit: 20,
  cursor: undefined,
};
const presentation = {
  textsOf: ({
    facts: { question, description, category },
  }: {
    facts: Pick<MarketFacts, 'question' | 'description' | 'category'>;
  }) => {
    return { question, description, category, source: '', imageUrl: '' };
  },
  questionOf: (_: unknown, question: string) => question,
  isFeatured: () => false,
  isPaused: () => false,
  categories: () => [],
};

const fixture = new ViewFixture();
let sql: Sql;
let log: PartitionLog;
let projector: Projector;
let engine: Engine;
let clock: ManualClock;
let traders: ReturnType<typeof createOrderBuilders>;
let reader: EventReader;

beforeEach(async () => {
  sql = (await fixture.openStore()).sql;
  log = await fixture.openLog();
  projector = fixture.openProjector({ source: log, sql });
  engine = new Engine();
  clock = new ManualClock();
  traders = createOrderBuilders(clock);
  await projector.start();
  reader = new EventReader({
    reads: engine,
    clock: { nowMs: () => clock.nowMs, nowSeconds: () => Math.floor(clock.nowMs / 1_000) },
    presentation,
    views: {
      listMarketFigures: (nowMs, ids) => listMarketFigures(sql, nowMs, ids),
      listSparklines: (nowMs, ids) => listSparklines(sql, nowMs, ids),
    },
  });
});
afterEach(() => fixture.close());

async function play(...commands: EngineCommand[]): Promise<void> {
  for (const command of commands) {
    await log.append(engine.apply({ ...command, timeMs: clock.nowMs }).filter(isJournalled));
  }
  expect(await projector.waitFor(log.lastSeq, 30_000)).toBe(true);
}

async function list(markets: readonly MarketFacts[]): Promise<MarketFacts['event'] & object> {
  await play(...markets.map((market) => listMarket(clock.nowMs, market)));
  return markets[0]!.event!;
}

async function resolve(
  markets: readonly MarketFacts[],
  of: (index: number) => Partial<MarketResolution>,
): Promise<void> {
  await play(
    ...markets.map(({ marketId }, index): EngineCommand => {
      const resolution = { status: 'resolved', round: 1, history: [], ...of(index) } as const;
      return { type: 'change-resolution', timeMs: clock.nowMs, marketId, resolution };
    }),
  );
}

function choose(query: Partial<Parameters<typeof chooseEvents>[1]> = {}, events = new EventsByAge(engine)) {
  const read = { isTurnOver: true, next: async () => undefined };
  const context = { nowSeconds: Math.floor(clock.nowMs / 1_000), presentation, read };
  return chooseEvents(events, { ...NO_FILTER, ...query }, context);
}

describe('an event', () => {
  it('shows its outcomes by index with their prices, and sums their volumes', async () => {
    const markets = eventFacts(NAMES);
    const { id } = await list([...markets].reverse());
    const [first, third] = [markets[0]!.marketId, markets[2]!.marketId];
    await play(traders.aliceBuysYes({ marketId: first, price: '0.4', size: '10' }));
    await play(traders.bobSellsYes({ marketId: first, price: '0.4', size: '4' }));
    await play(traders.aliceBuysYes({ marketId: third, price: '0.1', size: '10' }));
    await play(traders.bobSellsYes({ marketId: third, price: '0.1', size: '10' }));
    const event = await reader.one(id);
    expect(event).toMatchObject({
      id,
      question: 'Who wins the cup?',
      status: 'open',
      resolved: false,
      outcomeCount: 3,
      volume24h: 2_600_000n,
      totalVolume: 2_600_000n,
      outcomes: [
        { index: 0, name: 'Ada', marketId: first, bestBidPrice: 400_000, lastPrice: 400_000, chance: 400_000 },
        { index: 1, name: 'Bea', bestBidPrice: 0, lastPrice: 0, chance: null },
        { index: 2, name: 'Cleo', marketId: third, lastPrice: 100_000 },
      ],
    });
    expect(event).not.toHaveProperty('winningIndex');
  });

  it('shows the outcomes listed so far', async () => {
    const markets = eventFacts(NAMES);
    const { id } = await list(markets.slice(0, 2));
    expect((await reader.one(id)).outcomes.map(({ name }) => name)).toEqual(['Ada', 'Bea']);
    await list(markets.slice(2));
    expect((await reader.one(id)).outcomes.map(({ name }) => name)).toEqual(NAMES);
  });

  it('is open while one of its markets is, and resolved once all of them are', async () => {
    const markets = eventFacts(NAMES);
    const { id } = await list(markets);
    const status = async () => (await reader.one(id)).status;
    await play({ type: 'close-market', marketId: markets[0]!.marketId, reason: 'closed_early', timeMs: clock.nowMs });
    expect(await status()).toBe('open');
    await resolve(markets.slice(0, 2), (index) => ({ winningOutcome: index === 1 ? 0 : 1 }));
    expect(await status()).toBe('open');
    await resolve(markets.slice(2), () => ({ winningOutcome: 1 }));
    expect(await reader.one(id)).toMatchObject({ status: 'resolved', resolved: true, winningIndex: 1 });
  });

  it('has no winner when it is void', async () => {
    const markets = eventFacts(NAMES);
    const { id } = await list(markets);
    await resolve(markets, () => ({ status: 'void', payouts: [1, 2], payoutDenominator: 3 }));
    expect(await reader.one(id)).toMatchObject({ status: 'void', resolved: true, winningIndex: null });
  });

  it('is not found by the id of a market or of no event', async () => {
    const markets = eventFacts(NAMES);
    await list(markets);
    for (const id of [markets[0]!.marketId, `0x${'77'.repeat(32)}` as const]) {
      await expect(reader.one(id)).rejects.toThrow(new PresageError('event_not_found', { eventId: id }));
    }
  });
});

describe('a quote of an event', () => {
  it('compares the asks of an outcome with those of NO of the others', async () => {
    const markets = eventFacts(NAMES, 'e1', { feeRateBps: 100 });
    const { id } = await list(markets);
    const [first, second, third] = markets.map(({ marketId }) => marketId) as [Bytes32, Bytes32, Bytes32];
    await play(traders.bobSellsYes({ marketId: first, price: '0.5', size: '10' }));
    await play(traders.bobSellsNo({ marketId: second, price: '0.7', size: '10' }));
    await play(traders.bobSellsNo({ marketId: third, price: '0.6', size: '10' }));
    const quote = toEventQuote(engine, eventOf(engine, id), { index: 0, size: 2_000_000 });
    expect(quote).toMatchObject({
      best: 'converted',
      direct: { cost: 1_000_000n, fee: 5_000n, total: 1_005_000n, averagePrice: 502_500n },
      converted: {
        cost: 2_600_000n,
        fee: 9_000n,
        freed: 2_000_000n,
        total: 609_000n,
        worstPrice: 300_000,
        orders: [
          { marketId: second, side: 0, outcome: 1, price: 700_000, size: 2_000_000, timeInForce: 'FOK' },
          { marketId: third, side: 0, outcome: 1, price: 600_000, size: 2_000_000, timeInForce: 'FOK' },
        ],
        conversion: { indexes: [1, 2], amount: 2_000_000 },
      },
    });
  });
});

describe('a list of events', () => {
  it('shows every event once, newest first, page by page, open or retired', async () => {
    const random = new SeededRandom(SEED);
    const events = new EventsByAge(engine);
    for (let round = 0; round < 3; round++) {
      for (let added = 0; added < 15; added++) {
        const seed = (16 + round * 15 + added).toString(16);
        const markets = eventFacts(NAMES, seed, { createdAt: 1_800_000_000 + random.below(10) });
        for (const market of markets) engine.apply(listMarket(clock.nowMs, market));
        if (random.below(2) === 0) decide(markets);
      }
      const seen: string[] = [];
      let text: string | null = null;
      do {
        const cursor = text === null ? undefined : parseEventCursor(text);
        const page: Awaited<ReturnType<typeof chooseEvents>> = await choose({ limit: 7, cursor }, events);
        seen.push(...page.events.map(([{ event }]) => event.id));
        text = page.next;
      } while (text !== null);
      const all = engine.markets().filter(({ facts }) => facts.event?.index === 0);
      const sorted = all.sort(
        (a, b) => b.facts.createdAt - a.facts.createdAt || (a.facts.event!.id < b.facts.event!.id ? -1 : 1),
      );
      expect(seen).toEqual(sorted.map(({ facts }) => facts.event!.id));
    }
  });

  it('filters by chain, status, category and words', async () => {
    await list(eventFacts(NAMES, 'a1', { category: 'sports' }));
    await list(eventFacts(['Red', 'Blue'], 'a2', { chainId: 31_338 }));
    decide(eventFacts(['Red', 'Blue'], 'a2'));
    const seedsOf = async (query: Parameters<typeof choose>[0]) =>
      (await choose(query)).events.map(([{ event }]) => event.id.slice(2, 4));
    expect((await seedsOf({})).sort()).toEqual(['a1', 'a2']);
    expect(await seedsOf({ chainId: 31_338 })).toEqual(['a2']);
    expect(await seedsOf({ status: 'open' })).toEqual(['a1']);
    expect(await seedsOf({ status: 'resolved' })).toEqual(['a2']);
    expect(await seedsOf({ category: 'sports' })).toEqual(['a1']);
    expect(await seedsOf({ search: 'cleo' })).toEqual(['a1']);
    expect(await seedsOf({ search: 'Cleo cup ada' })).toEqual(['a1']);
    expect(await seedsOf({ search: 'green' })).toEqual([]);
  });

  it('refuses a cursor that it never gave', () => {
    expect(parseEventCursor('1-0x12')).toBeUndefined();
    expect(parseEventCursor(`5-0x${'ab'.repeat(32)}`)).toBeDefined();
  });
});

function decide(markets: readonly MarketFacts[]): void {
  for (const [index, { marketId }] of markets.entries()) {
    engine.apply({ type: 'close-market', timeMs: clock.nowMs, marketId, reason: 'expired' });
    const resolution = { status: 'resolved', round: 0, history: [], winningOutcome: index === 0 ? 0 : 1 } as const;
    engine.apply({ type: 'change-resolution', timeMs: clock.nowMs, marketId, resolution });
  }
}
