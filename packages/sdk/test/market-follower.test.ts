// A follower of random steps ends with the service's books, and reports every loss: sequence, hash, resumption, repetition.
import { formatHash, hashLevels } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { type GapEvent, MarketFollower, type MarketUpdate } from '../src/stream/market-follower.ts';
import type { StreamMessage } from '../src/stream/messages.ts';

const seed = seedFromEnv(41);
const ROUNDS = isLongRun ? 20_000 : 500;
const LOSSES = isLongRun ? 100 : 40;
const marketId = `0x${'5e'.repeat(32)}`;

/** The service's side, written for clarity: levels in plain maps, hashes recomputed each time. */
class NaiveMarket {
  readonly #random: SeededRandom;
  readonly #sides = [0, 1].map(() => [new Map<number, number>(), new Map<number, number>()] as const);
  readonly #bookSeqs = [0, 0];
  seq = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** A step: a trade or none, and a change of one book or of both. */
  step(): StreamMessage[] {
    this.seq += 1;
    const trade = { type: 'trade' as const, marketId, seq: this.seq, ts: 0, data: { id: `t${this.seq}` } };
    const outcomes = this.#random.pick([[0], [1], [0, 1]] as const);
    return [...(this.#random.chance(0.5) ? [trade] : []), ...outcomes.map((outcome) => this.#delta(outcome))];
  }

  snapshots(): StreamMessage[] {
    return ([0, 1] as const).map((outcome) => ({
      type: 'orderbook',
      marketId,
      seq: this.seq,
      prevSeq: 0,
      ts: 0,
      data: { marketId, outcome, ...this.book(outcome), hash: this.hash(outcome), lastUpdate: 0 },
    }));
  }

  book(outcome: 0 | 1) {
    const [bids, asks] = this.#sides[outcome]!;
    const levels = (side: Map<number, number>) => [...side].map(([price, size]) => ({ price, size }));
    return {
      bids: levels(bids).sort((a, b) => b.price - a.price),
      asks: levels(asks).sort((a, b) => a.price - b.price),
    };
  }

  hash(outcome: 0 | 1): string {
    const { bids, asks } = this.book(outcome);
    return formatHash(hashLevels(outcome, bids, asks));
  }

  #delta(outcome: 0 | 1): StreamMessage {
    const changes = Array.from({ length: this.#random.int(1, 4) }, () => this.#change(outcome));
    const prevSeq = this.#bookSeqs[outcome]!;
    this.#bookSeqs[outcome] = this.seq;
    const data = { outcome, changes, hash: this.hash(outcome) };
    return { type: 'orderbook_delta', marketId, seq: this.seq, prevSeq, ts: 0, data };
  }

  #change(outcome: 0 | 1) {
    const side = this.#random.pick([0, 1] as const);
    const change = { side, price: this.#random.int(1, 30), size: this.#random.int(0, 3) };
    const levels = this.#sides[outcome]![side];
    if (change.size === 0) levels.delete(change.price);
    else levels.set(change.price, change.size);
    return change;
  }
}

function openFollower(filter?: 0 | 1) {
  const events: (MarketUpdate | GapEvent)[] = [];
  const asked = { snapshots: 0 };
  const follower = new MarketFollower(marketId, filter, {
    onEvent: (event) => events.push(event),
    bookChanged: () => undefined,
    needSnapshot: () => {
      asked.snapshots += 1;
    },
  });
  const gaps = () => events.filter(({ type }) => type === 'gap').map((event) => (event as GapEvent).reason);
  const trades = () => events.flatMap((event) => (event.type === 'trade' ? [event.data.id] : []));
  return { follower, asked, gaps, trades };
}

function expectSameBooks(follower: MarketFollower, market: NaiveMarket, outcomes: readonly (0 | 1)[] = [0, 1]): void {
  for (const outcome of outcomes) {
    const { bids, asks, hash } = follower.bookOf(outcome) ?? {};
    expect({ bids, asks, hash }, `seed ${seed}, step ${market.seq}`).toEqual({
      ...market.book(outcome),
      hash: market.hash(outcome),
    });
  }
}

describe('a follower that receives everything', () => {
  it(`holds the service's books after each of ${ROUNDS} random steps, and reports no gap`, () => {
    const market = new NaiveMarket(new SeededRandom(seed));
    const { follower, asked, gaps } = openFollower();
    for (const message of market.snapshots()) follower.accept(message);
    for (let round = 0; round < ROUNDS; round++) {
      for (const message of market.step()) follower.accept(message);
      if (round % 50 === 0) expectSameBooks(follower, market);
    }
    expectSameBooks(follower, market);
    expect(gaps()).toEqual([]);
    expect(asked.snapshots).toBe(0);
  });

  it('reports no gap under a filter either, though it receives half of the steps', () => {
    const market = new NaiveMarket(new SeededRandom(seed));
    const { follower, gaps } = openFollower(1);
    const isReceived = ({ data }: StreamMessage) => (data as { outcome?: number }).outcome === 1;
    for (const message of market.snapshots().filter(isReceived)) follower.accept(message);
    for (let round = 0; round < ROUNDS / 2; round++) {
      for (const message of market.step().filter(isReceived)) follower.accept(message);
    }
    expectSameBooks(follower, market, [1]);
    expect(gaps()).toEqual([]);
  });
});

describe('a lost message', () => {
  it('is detected with the next one, whichever it was, and a snapshot repairs the book', () => {
    const random = new SeededRandom(seed);
    for (let round = 0; round < LOSSES; round++) {
      const market = new NaiveMarket(random);
      const { follower, asked, gaps } = openFollower();
      for (const message of market.snapshots()) follower.accept(message);
      const steps = Array.from({ length: 30 }, () => market.step());
      const lost = random.int(0, 20);
      for (const message of steps.flatMap((step, index) => (index === lost ? [] : step))) follower.accept(message);
      expect(gaps()[0], `seed ${seed}, round ${round}`).toBe('sequence');
      expect(asked.snapshots).toBeGreaterThan(0);
      for (const message of market.snapshots()) follower.accept(message);
      expectSameBooks(follower, market);
      for (const message of market.step()) follower.accept(message);
      expectSameBooks(follower, market);
    }
  });

  it('is detected by the hash when only a change inside a message is missing', () => {
    const market = new NaiveMarket(new SeededRandom(seed));
    const { follower, gaps, asked } = openFollower();
    for (const message of market.snapshots()) follower.accept(message);
    const message = market.step().find((each) => each.type === 'orderbook_delta')!;
    const changes = message.data.changes.map((change) => ({ ...change, size: Number(change.size) + 7 }));
    follower.accept({ ...message, data: { ...message.data, changes } });
    expect(gaps()).toEqual(['hash']);
    expect(asked.snapshots).toBe(1);
    expect([follower.bookOf(0), follower.bookOf(1)]).toEqual([undefined, undefined]);
  });

  it('is detected by prevSeq under a filter', () => {
    const market = new NaiveMarket(new SeededRandom(seed));
    const { follower, gaps } = openFollower(0);
    const isReceived = ({ data }: StreamMessage) => (data as { outcome?: number }).outcome === 0;
    for (const message of market.snapshots().filter(isReceived)) follower.accept(message);
    const received = Array.from({ length: 20 }, () => market.step().filter(isReceived)).flat();
    for (const message of received.toSpliced(3, 1)) follower.accept(message);
    expect(gaps()).toEqual(['sequence']);
  });
});

describe('a connection that breaks anywhere', () => {
  it('resumes without loss and without repetition', () => {
    const random = new SeededRandom(seed);
    const market = new NaiveMarket(random);
    const { follower, gaps, trades } = openFollower();
    for (const message of market.snapshots()) follower.accept(message);
    const log: StreamMessage[][] = [];
    const sent: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const step = market.step();
      log.push(step);
      sent.push(...step.flatMap(({ type, data }) => (type === 'trade' ? [(data as { id: string }).id] : [])));
      const isCut = random.chance(0.2);
      for (const message of step.slice(0, isCut ? random.int(0, step.length) : step.length)) follower.accept(message);
      if (random.chance(0.1) && !isCut) {
        const seq = market.seq;
        follower.accept({ type: 'heartbeat', ts: 0, data: { subscriptions: [{ marketId, seq }] } });
      }
      if (isCut) for (const message of log.slice(follower.resumeFrom()! - 1).flat()) follower.accept(message);
      if (round % 50 === 0) expectSameBooks(follower, market);
    }
    expect(trades(), `seed ${seed}`).toEqual(sent);
    expect(gaps()).toEqual([]);
  });

  it('reports a gap when the service no longer retains the missed messages', () => {
    const market = new NaiveMarket(new SeededRandom(seed));
    const { follower, gaps } = openFollower();
    for (const message of [...market.snapshots(), ...market.step()]) follower.accept(message);
    for (let missed = 0; missed < 5; missed++) market.step();
    follower.resumeFrom();
    follower.accept({ type: 'resync', marketId, seq: market.seq, ts: 0, data: { reason: 'not_retained' } });
    expect(follower.bookOf(0)).toBeUndefined();
    for (const message of [...market.snapshots(), ...market.step()]) follower.accept(message);
    expect(gaps()).toEqual(['resync']);
    expectSameBooks(follower, market);
  });

  it('requests a snapshot when it resumes without books', () => {
    const market = new NaiveMarket(new SeededRandom(seed));
    const { follower, asked } = openFollower();
    for (const message of market.snapshots()) follower.accept(message);
    market.step();
    for (const message of market.step()) follower.accept(message);
    expect(asked.snapshots).toBeGreaterThan(0);
    const before = asked.snapshots;
    follower.resumeFrom();
    follower.accept({ type: 'subscribe', marketId, ts: 0, data: { status: 'subscribed' } });
    expect(asked.snapshots).toBe(before + 1);
  });
});

it('rejects a snapshot with a wrong hash', () => {
  const { follower, gaps } = openFollower();
  const book = { bids: [{ price: 5, size: 1 }], asks: [], hash: '0'.repeat(16), lastUpdate: 0 };
  const data = { marketId, outcome: 0 as const, ...book };
  expect(() => follower.accept({ type: 'orderbook', marketId, seq: 1, ts: 0, data })).toThrow('hash');
  expect(gaps()).toEqual(['hash']);
});
