// Every amount of every answer equals what big integers make of the raw events, over more than a thousand random orders.
import {
  type Address,
  CANDLE_INTERVALS,
  CANDLE_SECONDS,
  Candles,
  type FeeRates,
  Holders,
  Leaderboard,
  MarketActivity,
  type MarketFacts,
  type MarketId,
  MarketStatistics,
  PlatformStatistics,
  PnlHistory,
  parseJson,
  stringifyJson,
  UserActivity,
  UserStatistics,
  WalletBalances,
} from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BusyHistory } from './busy-history.ts';
import { NaiveAnswers } from './naive-answers.ts';
import { NaiveLedger } from './naive-ledger.ts';
import { CHAIN_ID, openReadsFixture, type ReadsFixture } from './reads-fixture.ts';

const ORDERS = isLongRun ? 12_000 : 1_600;
const SEED = seedFromEnv(20_261_115);
const OTHER_CHAIN = 1;
const seeded = `seed ${SEED}`;

let fixture: ReadsFixture;
let markets: MarketFacts[];
let wallets: Address[];
let accepted: number;
let ledger: NaiveLedger;
let naive: NaiveAnswers;

beforeAll(async () => {
  fixture = await openReadsFixture();
  const random = new SeededRandom(SEED);
  wallets = Array.from({ length: 12 }, () => random.hex(20));
  markets = await listMarkets();
  await giveShares(random);
  const { host, clock } = fixture;
  accepted = await new BusyHistory({ host, clock, random, markets, wallets, orders: ORDERS }).play();
  await fixture.caughtUp();
  ledger = new NaiveLedger(fixture.events);
  naive = new NaiveAnswers(ledger, clock.nowMs);
}, 600_000);
afterAll(() => fixture?.close());

/** Four that are really on the chain, one that is on another. */
/** What the markets charge takers. */
const RATES: readonly FeeRates[] = [
  { feeRateBps: 700, makerShareBps: 10_000 },
  {},
  { feeRateBps: 133, makerShareBps: 3_333 },
  { feeRateBps: 1 },
];

async function listMarkets(): Promise<MarketFacts[]> {
  const listed: MarketFacts[] = [];
  for (const [index, question] of ['Rain?', 'Snow, "wet"?', 'Wind\\?', 'Fog?'].entries()) {
    listed.push(await fixture.list({ ...(await fixture.chain.createMarket({ question })), ...RATES[index] }));
  }
  const [first] = listed as [MarketFacts];
  const elsewhere = { marketId: `0x${'e1'.repeat(32)}`, contractAddress: `0x${'e2'.repeat(20)}` } as const;
  return [...listed, await fixture.list({ ...first, ...elsewhere, chainId: OTHER_CHAIN })];
}

/** So that sales find shares on the chain, money, and nothing. */
async function giveShares(random: SeededRandom): Promise<void> {
  for (const wallet of wallets.slice(0, 5)) {
    await fixture.chain.split(wallet, random.pick(markets.slice(0, 4)), BigInt(random.int(1, 90_000_000)));
    await fixture.chain.give(wallet, random.bigint64());
  }
}

/** As both would be written on the wire: exact digits on either side. */
function expectSame(answer: unknown, expected: unknown, what: string): void {
  expect(answer, `${what}, ${seeded}`).toEqual(parseJson(stringifyJson(expected)));
}

describe('after a random history', () => {
  it('there is enough of everything to compare', () => {
    const stages = new Set(ledger.trades.map(({ stage }) => stage));
    expect(accepted).toBeGreaterThanOrEqual(ORDERS);
    expect([...stages].sort()).toEqual(['confirmed', 'failed', 'matched', 'mined', 'retrying', 'submitted']);
    expect(fixture.events.some(({ type }) => type === 'order-restored')).toBe(true);
    expect(fixture.events.some((event) => event.type === 'order-cancelled' && event.reason === 'expired')).toBe(true);
    expect(ledger.trades.some(({ buyer, seller }) => buyer === seller)).toBe(true);
    const { total_volume: volume } = naive.platform();
    expect(volume).toBeGreaterThan(2n ** 53n);
  });

  it('the statistics of every market are exact', async () => {
    for (const { marketId } of markets) {
      const answer = await fixture.readChecked(`/api/v1/stats/${marketId}`, MarketStatistics);
      expectSame(answer, naive.stats(marketId), `statistics of ${marketId}`);
    }
  });

  it('the holders of every market are exact, in order and in number', async () => {
    for (const { marketId } of markets) {
      const expected = naive.holders(marketId);
      expect(expected.topHolders).toHaveLength(10);
      expectSame(await fixture.readChecked(`/api/v1/holders/${marketId}`, Holders), expected, `holders of ${marketId}`);
    }
  });

  it('the activity of every market is its fifty newest trades that stand', async () => {
    for (const { marketId } of markets) {
      const answer = await fixture.readChecked(`/api/v1/activity/${marketId}`, MarketActivity);
      expectSame(answer, naive.activity(marketId), `activity of ${marketId}`);
    }
  });

  it.each([undefined, CHAIN_ID, OTHER_CHAIN])('the platform statistics are exact (chain %s)', async (chainId) => {
    const query = chainId === undefined ? '' : `?chain_id=${chainId}`;
    const answer = await fixture.readChecked(`/api/v1/platform/stats${query}`, PlatformStatistics);
    expectSame(answer, naive.platform(chainId), 'platform statistics');
  });

  it.each(CANDLE_INTERVALS)('the candles of %s are exact on both books', async (interval) => {
    for (const { marketId } of markets) {
      for (const outcome of [0, 1] as const) {
        const path = `/api/v1/candles/${marketId}?outcome=${outcome}&interval=${interval}&limit=1000`;
        const all = naive.candles(marketId, outcome, CANDLE_SECONDS[interval]);
        const expected = { marketId, outcome, interval, candles: all.slice(-1_000) };
        expect(await fixture.readChecked(path, Candles), `${path}, ${seeded}`).toMatchObject(
          parseJson(stringifyJson(expected)) as object,
        );
      }
    }
  });

  it('candles come in pages that miss none and repeat none', async () => {
    const { marketId } = markets[0]!;
    const expected = naive.candles(marketId, 0, 60);
    const pages: unknown[][] = [];
    let cursor: unknown = '';
    while (cursor !== null) {
      const page = await fixture.read(
        `/api/v1/candles/${marketId}?interval=1m&limit=11${cursor && `&cursor=${cursor}`}`,
      );
      pages.unshift(page.candles as unknown[]);
      cursor = page.nextCursor;
    }
    expect(pages.length).toBeGreaterThan(2);
    expectSame(pages.flat(), expected, 'pages of candles');
  });

  it.each([50, 100])('the activity of every wallet is exact on each chain (limit %i)', async (limit) => {
    for (const wallet of wallets) {
      for (const chainId of [CHAIN_ID, OTHER_CHAIN]) {
        const path = `/api/v1/users/${wallet}/activity?chain_id=${chainId}${limit === 50 ? '' : '&limit=9999'}`;
        const expected = naive.userActivity(wallet, chainId, limit);
        if (chainId === CHAIN_ID) expect(expected.activity).toHaveLength(limit);
        expectSame(await fixture.readChecked(path, UserActivity), expected, path);
      }
    }
  });

  it('the standing of every wallet is exact', async () => {
    for (const wallet of wallets) {
      const answer = await fixture.readChecked(`/api/v1/user-stats?address=${wallet}`, UserStatistics);
      expectSame(answer, naive.userStats(wallet), `standing of ${wallet}`);
    }
  });

  it('the chance of every market is the same number for everyone', async () => {
    const { markets: listed } = await fixture.read('/api/v1/markets?include=sparkline');
    for (const market of listed as { id: MarketFacts['marketId']; chance: number | null; sparkline: number[] }[]) {
      const expected = ledger.chance(market.id);
      expect(market.chance, `chance of ${market.id}, ${seeded}`).toBe(expected === null ? null : Number(expected));
      expect(market.sparkline.at(-1)).toBe(market.chance);
    }
    expect(markets.some(({ marketId }) => ledger.chance(marketId) !== null)).toBe(true);
  });

  it('folded candles count trades of NO at 1 - p', async () => {
    for (const { marketId } of markets) {
      const path = `/api/v1/candles/${marketId}?interval=1d&fold=both&limit=1000`;
      const { candles } = await fixture.readChecked(path, Candles);
      const days = new Map<number, number[]>();
      for (const { event } of ledger.standing(marketId)) {
        const day = Math.floor(event.timeMs / 86_400_000) * 86_400;
        const price = event.outcome === 0 ? event.price : 1_000_000 - event.price;
        days.set(day, [...(days.get(day) ?? []), price]);
      }
      const expected = [...days].map(([time, prices]) => ({
        time,
        open: prices[0],
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: prices.at(-1),
      }));
      expect(candles, `${path}, ${seeded}`).toMatchObject(expected);
    }
  });

  it('the profit curve of every wallet ends where its standing is', async () => {
    for (const wallet of wallets) {
      const { realized_pnl, unrealized_pnl, pnl } = await fixture.read(`/api/v1/user-stats?address=${wallet}`);
      for (const interval of ['1d', 'all']) {
        const { points } = await fixture.readChecked(`/api/v1/users/${wallet}/pnl?interval=${interval}`, PnlHistory);
        const last = (points as object[]).at(-1);
        expect(last, `${wallet}, ${seeded}`).toMatchObject({ realized: realized_pnl, unrealized: unrealized_pnl, pnl });
      }
    }
  });

  it('the positions of a wallet sum up to its standing', async () => {
    const sum = (rows: readonly Record<string, number | bigint>[], name: string) =>
      rows.reduce((total, row) => total + BigInt(row[name] ?? 0), 0n);
    for (const wallet of wallets) {
      const here = await fixture.read(`/api/v1/users/${wallet}/positions?chain_id=${CHAIN_ID}&shares=any`);
      const there = await fixture.read(`/api/v1/users/${wallet}/positions?chain_id=${OTHER_CHAIN}&shares=any`);
      const rows = [here, there].flatMap(({ positions }) => positions as Record<string, number | bigint>[]);
      const standing = await fixture.read(`/api/v1/user-stats?address=${wallet}`);
      expect(sum(rows, 'pnl'), seeded).toBe(BigInt(standing.pnl as number));
      expect(sum(rows, 'value'), seeded).toBe(BigInt(standing.position_value as number));
      expect(sum(rows, 'totalInvested'), seeded).toBe(BigInt(standing.total_invested as number));
    }
  });

  it('positions and their cost bases are exact', async () => {
    for (const wallet of wallets) {
      for (const { marketId } of markets) {
        const {
          holdings: [yes, no],
          profit,
        } = ledger.position(wallet, marketId)!;
        expect(await fixture.views.findPosition(wallet, marketId), `position of ${wallet}, ${seeded}`).toMatchObject({
          yesShares: yes.shares,
          noShares: no.shares,
          yesCost: yes.cost,
          noCost: no.cost,
          yesRevenue: yes.revenue,
          noRevenue: no.revenue,
          realizedPnl: profit,
          totalInvested: yes.cost + no.cost,
        });
      }
    }
  });

  it('the leaderboard is everybody by volume and by profit', async () => {
    for (const [sort, by] of [
      ['volume', 'volume'],
      ['profit', 'pnl'],
    ] as const) {
      const answer = await fixture.readChecked(`/api/v1/leaderboard?sort=${sort}&limit=100`, Leaderboard);
      const expected = naive.leaders(wallets, 0, by);
      expect(answer, seeded).toEqual(
        parseJson(stringifyJson({ period: 'all', since: 0, sort, leaders: expected, count: expected.length })),
      );
      expect(expected.length).toBeGreaterThan(2);
    }
    const first = await fixture.readChecked('/api/v1/leaderboard?limit=1', Leaderboard);
    expect(first.leaders).toHaveLength(1);
  });

  it('balances and what is reserved of them are exact', async () => {
    const { stablecoin, conditionalTokens } = fixture.chain.contracts;
    const tokens = new Map(markets.map((market) => [market.marketId, [market.yesTokenId, market.noTokenId]]));
    for (const wallet of wallets) {
      const held = new Map<string, bigint>();
      for (const tokenId of markets.slice(0, 4).flatMap(({ marketId }) => tokens.get(marketId)!)) {
        held.set(tokenId, await conditionalTokens.read('balanceOf', [wallet, BigInt(tokenId)]));
      }
      const balance = await stablecoin.read('balanceOf', [wallet]);
      const sharesOf = (id: MarketId, outcome: number) => held.get(tokens.get(id)![outcome]!)!;
      const reserved = naive.reserved(wallet, CHAIN_ID, sharesOf);
      const available = balance > reserved ? balance - reserved : 0n;
      const answer = await fixture.readChecked(
        `/api/v1/users/${wallet}/balances?chain_id=${CHAIN_ID}&include=unsettled`,
        WalletBalances,
      );
      expect(answer, `balances of ${wallet}, ${seeded}`).toEqual({
        balance: `${balance}`,
        allowance: '0',
        reserved: `${reserved}`,
        available: `${available}`,
        unsettled: `${naive.unsettled(wallet, CHAIN_ID, sharesOf)}`,
      });
      expect(reserved).toBeGreaterThan(0n);
    }
  });
});
