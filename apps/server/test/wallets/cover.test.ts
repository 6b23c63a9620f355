// What covers an order and what does not: against a naive model, and the cases a person would name.
import { type Address, fillFees, type MarketId, toPrice, toSize } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv, TEST_MARKET, TRADERS } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import {
  findShortage,
  findUncovered,
  type MarketFunds,
  type Means,
  type RankedOrder,
} from '../../src/wallets/cover.ts';
import { findContained } from '../../src/wallets/holdings-reader.ts';
import { reserveOf, shareKey, type UnminedFill } from '../../src/wallets/reserve.ts';
import { naiveReserve, naiveUncovered } from './naive-cover.ts';

const SEED = seedFromEnv(1);
const ROUNDS = isLongRun ? 20_000 : 2_000;
const [ANN, BEN]: [Address, Address] = [TRADERS.alice, TRADERS.bob];

function drawFunds(random: SeededRandom, marketId: MarketId, ranks: number[]): MarketFunds<RankedOrder> {
  const bit = () => random.int(0, 1) as 0 | 1;
  const price = () => toPrice(random.pick([1, 333_333, 500_000, 999_999, random.int(1, 999_999)]));
  const size = () => toSize(random.pick([1, 3, random.int(1, 20), random.int(1, 20_000_000)]));
  const rates = random.pick([{}, { feeRateBps: random.int(1, 700) }]);
  const shares = new Map(
    [0, 1].map((o) => [shareKey(marketId, o as 0 | 1), BigInt(random.int(0, 20) * random.int(0, 9))]),
  );
  const fills = Array.from({ length: random.int(0, 3) }, (): UnminedFill => {
    const [buyer, seller] = random.pick([
      [ANN, BEN],
      [BEN, ANN],
      [ANN, ANN],
    ] as const);
    const trade = { marketId, outcome: bit(), price: price(), size: size(), buyer, seller, takerSide: bit() };
    return { ...trade, ...fillFees(rates, trade.size, trade.price) };
  });
  const orders = Array.from({ length: random.int(0, 6) }, (): RankedOrder => {
    const terms = { marketId, side: bit(), outcome: bit(), price: price(), remainingSize: size() };
    return { ...terms, ...rates, sequence: ranks.pop()! };
  });
  return { wallet: ANN, fills, shares, orders: orders.sort((a, b) => a.sequence - b.sequence) };
}

function drawMeans(random: SeededRandom, reserve: bigint): Means {
  const amount = () => (reserve * BigInt(random.int(0, 12))) / 10n;
  const deposited = random.chance(0.7) ? 0n : amount();
  return { balance: amount(), allowance: amount(), deposited, sharesApproved: random.chance(0.7) };
}

describe('the orders of a wallet that lost its cover', () => {
  it('go newest first until the rest is covered, as a naive model has it', () => {
    let dropped = 0;
    for (let seed = SEED; seed < SEED + ROUNDS; seed++) {
      const random = new SeededRandom(seed);
      const ranks = random.shuffle(Array.from({ length: 30 }, (_, rank) => rank));
      const markets = [TEST_MARKET, `0x${'0d'.repeat(32)}` as const].map((id) => drawFunds(random, id, ranks));
      const reserve = naiveReserve(markets);
      expect(
        markets.reduce((sum, market) => sum + reserveOf(market), 0n),
        `seed ${seed}`,
      ).toBe(reserve);
      const means = drawMeans(random, reserve);
      const uncovered = findUncovered(markets, means);
      expect(uncovered, `seed ${seed}`).toEqual(naiveUncovered(markets, means));
      dropped += uncovered.length;
    }
    expect(dropped).toBeGreaterThan(ROUNDS);
  });
});

describe('money that fills bring', () => {
  const terms = { marketId: TEST_MARKET, outcome: 0, takerSide: 0 } as const;
  const sale: UnminedFill = { ...terms, price: toPrice(400_000), size: toSize(10_000_000), buyer: BEN, seller: ANN };
  const order: RankedOrder = {
    ...terms,
    side: 0,
    price: toPrice(500_000),
    remainingSize: toSize(7_000_000),
    sequence: 1,
  };
  const means: Means = { balance: 0n, allowance: 10_000_000n, deposited: 0n, sharesApproved: true };
  const held = { wallet: ANN, orders: [order], shares: new Map([[shareKey(TEST_MARKET, 0), 10_000_000n]]) };

  it('covers orders that are open, as after a reorganization, and none that is more', () => {
    // It brings four, and the order takes three and a half.
    expect(findUncovered([{ ...held, fills: [sale] }], means)).toEqual([]);
    const larger = { ...order, remainingSize: toSize(8_000_000) };
    expect(findUncovered([{ ...held, orders: [larger], fills: [sale] }], means)).toEqual([larger]);
  });

  it('does so only until they have failed', () => {
    expect(findUncovered([{ ...held, fills: [] }], means)).toEqual([order]);
  });

  it('covers no new order', () => {
    const need = { money: 3_501_000n, headroom: 1_000n, shares: 0n, reserved: 0n, reservedHeadroom: 0n };
    expect(findShortage(need, means)).toBe('balance');
  });
});

describe('an order', () => {
  const plenty: Means = { balance: 1_000n, allowance: 1_000n, deposited: 0n, sharesApproved: true };
  const nothing: Means = { balance: 0n, allowance: 0n, deposited: 1_000n, sharesApproved: true };

  it.each([
    [{ money: 600n, shares: 0n, reserved: 400n }, plenty, undefined],
    [{ money: 601n, shares: 0n, reserved: 400n }, plenty, 'balance'],
    [{ money: 601n, shares: 0n, reserved: 400n }, { ...plenty, balance: 2_000n }, 'allowance'],
    [{ money: 601n, shares: 0n, reserved: 400n }, { ...plenty, balance: 1_001n, allowance: 1_001n }, undefined],
    [{ money: 0n, shares: 5n, reserved: 9_999n }, plenty, undefined],
    [{ money: 0n, shares: 5n, reserved: 0n }, { ...plenty, sharesApproved: false }, 'approval'],
    [{ money: 5n, shares: 5n, reserved: 0n }, { ...plenty, balance: 4n, sharesApproved: false }, 'balance'],
    [{ money: 5n, shares: 0n, reserved: 0n }, { ...plenty, sharesApproved: false }, undefined],
    [{ money: 601n, shares: 0n, reserved: 400n, headroom: 1n }, { ...plenty, balance: 2_000n }, undefined],
    [{ money: 601n, shares: 0n, reserved: 400n, reservedHeadroom: 1n }, { ...plenty, balance: 2_000n }, undefined],
    [{ money: 601n, shares: 0n, reserved: 400n, headroom: 1n }, plenty, 'balance'],
    // A deposit covers all of it, or none: a fill takes the whole of its money from one of the two.
    [{ money: 600n, shares: 0n, reserved: 400n }, nothing, undefined],
    [{ money: 601n, shares: 0n, reserved: 400n }, nothing, 'balance'],
    [{ money: 601n, shares: 0n, reserved: 400n }, { ...plenty, deposited: 1_000n }, 'balance'],
    [{ money: 601n, shares: 0n, reserved: 400n }, { ...plenty, deposited: 1_001n, allowance: 0n }, undefined],
    [{ money: 5n, shares: 5n, reserved: 0n }, { ...nothing, sharesApproved: false }, 'approval'],
  ] as const)('that takes %o of %o lacks %s', (need, means, shortage) => {
    expect(findShortage({ headroom: 0n, reservedHeadroom: 0n, ...need }, means)).toBe(shortage);
  });
});

describe('the figures of a block', () => {
  const trades = [4, 3, 5].map((size, index) => ({ tradeId: `t${index + 1}`, size }) as never);

  it.each([
    [0n, []],
    [4n, ['t1']],
    [7n, ['t1', 't2']],
    [12n, ['t1', 't2', 't3']],
  ])('with %s of an order filled contain its oldest trades', (settled, contained) => {
    expect(findContained({ filledSize: 12, trades }, settled).toSorted()).toEqual(contained);
  });

  it('contain none of them when only former trades of the order are filled', () => {
    expect(findContained({ filledSize: 20, trades }, 8n)).toEqual([]);
  });
});
