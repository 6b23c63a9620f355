// The same endpoints where nothing happened yet, where input is bad, where the chain speaks, and where it is silent.
import {
  type Address,
  Candles,
  ClaimableList,
  ClaimDataList,
  ContractNonce,
  Holders,
  MarketActivity,
  type MarketFacts,
  MarketList,
  MarketStatistics,
  PlatformStatistics,
  PnlHistory,
  toChecksumAddress,
  UserActivity,
  UserStatistics,
  WalletBalances,
} from '@presage/protocol';
import { createOrderBuilders, TRADERS } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHAIN_ID, openReadsFixture, type ReadsFixture } from './reads-fixture.ts';

const { alice, bob, carol, dave } = TRADERS;
const UNKNOWN_MARKET = `0x${'77'.repeat(32)}`;
const UNKNOWN_CHAIN = 424_242;
const NOBODY = `0x${'0d'.repeat(20)}` as const;

let fixture: ReadsFixture;
let empty: MarketFacts;
let busy: MarketFacts;
let traders: ReturnType<typeof createOrderBuilders>;

beforeAll(async () => {
  fixture = await openReadsFixture();
  traders = createOrderBuilders(fixture.clock);
  empty = await fixture.list(await fixture.chain.createMarket({ question: 'Nothing yet?', createdAt: 1_000 }));
  busy = await fixture.list(await fixture.chain.createMarket({ question: 'Busy?', createdAt: 2_000 }));
});
afterAll(() => fixture?.close());

describe('where nothing was traded', () => {
  it('a market answers with zeros and empty lists', async () => {
    const { marketId } = empty;
    const contractAddress = toChecksumAddress(empty.contractAddress);
    expect(await fixture.readChecked(`/api/v1/stats/${marketId}`, MarketStatistics)).toEqual({
      marketId,
      contractAddress,
      volume24h: 0,
      totalVolume: 0,
      lastPrice: 0,
    });
    const holders = await fixture.readChecked(`/api/v1/holders/${marketId}`, Holders);
    expect(holders).toEqual({ topHolders: [], totalHolders: 0 });
    const activity = await fixture.readChecked(`/api/v1/activity/${marketId}`, MarketActivity);
    expect(activity).toEqual({ marketId, activity: [], count: 0 });
    const candles = await fixture.readChecked(`/api/v1/candles/${marketId}`, Candles);
    expect(candles).toEqual({ marketId, outcome: 0, interval: '1h', candles: [], nextCursor: null });
  });

  it('an unknown wallet answers with zeros and empty lists', async () => {
    const activity = await fixture.readChecked(`/api/v1/users/${NOBODY}/activity?chain_id=${CHAIN_ID}`, UserActivity);
    expect(activity).toEqual({ activity: [], settlements: [] });
    expect(await fixture.readChecked(`/api/v1/user-stats?address=${NOBODY}`, UserStatistics)).toEqual({
      user_address: toChecksumAddress(NOBODY),
      volume: 0,
      trade_count: 0,
      total_cost: 0,
      total_invested: 0,
      position_value: 0,
      pnl: 0,
      realized_pnl: 0,
      unrealized_pnl: 0,
      pnl_percentage: 0,
    });
    const history = await fixture.readChecked(`/api/v1/users/${NOBODY}/pnl?chain_id=${CHAIN_ID}`, PnlHistory);
    expect(history).toEqual({ user_address: toChecksumAddress(NOBODY), interval: 'all', points: [] });
    const balances = await fixture.readChecked(`/api/v1/users/${NOBODY}/balances?chain_id=${CHAIN_ID}`, WalletBalances);
    expect(balances).toEqual({ balance: '0', allowance: '0', reserved: '0', available: '0' });
    const claimable = await fixture.readChecked(
      `/api/v1/users/${NOBODY}/claimable?chain_id=${CHAIN_ID}`,
      ClaimableList,
    );
    expect(claimable).toEqual({ claimable: [], count: 0, totalPayout: 0 });
  });

  it('an unknown chain is empty rather than an error', async () => {
    const at = `chain_id=${UNKNOWN_CHAIN}`;
    const platform = await fixture.readChecked(`/api/v1/platform/stats?${at}`, PlatformStatistics);
    expect(platform).toMatchObject({ chains: [], total_volume: 0, total_markets: 0, open_interest: 0 });
    expect(await fixture.read(`/api/v1/users/${alice}/activity?${at}`)).toEqual({ activity: [], settlements: [] });
    expect(await fixture.read(`/api/v1/users/${alice}/balances?${at}`)).toMatchObject({ balance: '0', available: '0' });
    expect(await fixture.read(`/api/v1/users/${alice}/claimable?${at}`)).toMatchObject({ claimable: [], count: 0 });
    const markets = `markets=${busy.marketId}`;
    expect(await fixture.read(`/api/v1/users/${alice}/claim-data?${at}&${markets}`)).toEqual({ markets: [] });
    expect(await fixture.read(`/api/v1/markets?${at}`)).toEqual({ markets: [], count: 0, nextCursor: null });
  });
});

describe('bad input', () => {
  const id = `0x${'5e'.repeat(32)}`;
  const nonce = '/api/v1/contracts/nonce';
  it.each([
    ['/api/v1/stats/0x12', 400, 'invalid_field', 'marketId'],
    [`/api/v1/stats/${'z'.repeat(66)}`, 400, 'invalid_field', 'marketId'],
    [`/api/v1/stats/${UNKNOWN_MARKET}`, 404, 'market_not_found', undefined],
    ['/api/v1/holders/1', 400, 'invalid_field', 'marketId'],
    [`/api/v1/holders/${UNKNOWN_MARKET}`, 404, 'market_not_found', undefined],
    ['/api/v1/activity/%00', 400, 'invalid_field', 'marketId'],
    [`/api/v1/activity/${UNKNOWN_MARKET}`, 404, 'market_not_found', undefined],
    ['/api/v1/candles/x', 400, 'invalid_field', 'marketId'],
    [`/api/v1/candles/${UNKNOWN_MARKET}`, 404, 'market_not_found', undefined],
    [`/api/v1/candles/${id}?interval=2m`, 400, 'invalid_field', 'interval'],
    [`/api/v1/candles/${id}?interval=toString`, 400, 'invalid_field', 'interval'],
    [`/api/v1/candles/${id}?interval=1m&interval=5m`, 400, 'invalid_field', 'interval'],
    [`/api/v1/candles/${id}?outcome=2`, 400, 'invalid_field', 'outcome'],
    [`/api/v1/candles/${id}?limit=0`, 400, 'invalid_field', 'limit'],
    [`/api/v1/candles/${id}?cursor=-5`, 400, 'invalid_field', 'cursor'],
    ['/api/v1/platform/stats?chain_id=one', 400, 'invalid_field', 'chain_id'],
    ['/api/v1/platform/stats?chain_id=1.5', 400, 'invalid_field', 'chain_id'],
    [`/api/v1/users/${alice}/activity`, 400, 'invalid_field', 'chain_id'],
    [`/api/v1/users/${alice}/activity?chain_id=-1`, 400, 'invalid_field', 'chain_id'],
    [`/api/v1/users/0x1/activity?chain_id=${CHAIN_ID}`, 400, 'invalid_field', 'address'],
    [`/api/v1/users/${alice}/activity?chain_id=${CHAIN_ID}&limit=0`, 400, 'invalid_field', 'limit'],
    [`/api/v1/users/${alice}/activity?chain_id=${CHAIN_ID}&limit=ten`, 400, 'invalid_field', 'limit'],
    [`/api/v1/users/${alice}/activity?chain_id=${CHAIN_ID}&limit=1.5`, 400, 'invalid_field', 'limit'],
    [`/api/v1/users/${alice}/pnl?interval=1y`, 400, 'invalid_field', 'interval'],
    [`/api/v1/candles/${id}?fold=yes`, 400, 'invalid_field', 'fold'],
    ['/api/v1/markets?include=all', 400, 'invalid_field', 'include'],
    ['/api/v1/user-stats', 400, 'invalid_field', 'address'],
    ['/api/v1/user-stats?address=alice', 400, 'invalid_field', 'address'],
    [`/api/v1/users/${alice}/balances`, 400, 'invalid_field', 'chain_id'],
    [`/api/v1/users/alice/balances?chain_id=${CHAIN_ID}`, 400, 'invalid_field', 'address'],
    [`/api/v1/users/${alice}/balances?chain_id=${CHAIN_ID}&spender=me`, 400, 'invalid_field', 'spender'],
    [`/api/v1/users/${alice}/claimable`, 400, 'invalid_field', 'chain_id'],
    [`/api/v1/users/${alice}/claim-data?chain_id=${CHAIN_ID}`, 400, 'invalid_field', 'markets'],
    [`/api/v1/users/${alice}/claim-data?chain_id=${CHAIN_ID}&markets=a,b`, 400, 'invalid_field', 'markets'],
    [`/api/v1/users/${alice}/claim-data?chain_id=${CHAIN_ID}&markets=${id},`, 400, 'invalid_field', 'markets'],
    [
      `/api/v1/users/${alice}/claim-data?chain_id=${CHAIN_ID}&markets=${UNKNOWN_MARKET}`,
      404,
      'market_not_found',
      undefined,
    ],
    [`${nonce}/${alice}/bob?chain_id=${CHAIN_ID}`, 400, 'invalid_field', 'owner'],
    [`${nonce}/coin/${bob}?chain_id=${CHAIN_ID}`, 400, 'invalid_field', 'contract'],
    [`${nonce}/${alice}/${bob}`, 400, 'invalid_field', 'chain_id'],
    [`${nonce}/${alice}/${bob}?chain_id=${CHAIN_ID}`, 404, 'not_found', undefined],
    ['/api/v1/markets?limit=0', 400, 'invalid_field', 'limit'],
    ['/api/v1/markets?cursor=here', 400, 'invalid_field', 'cursor'],
    ['/api/v1/markets?limit=1&cursor=12-0x12', 400, 'invalid_field', 'cursor'],
  ])('%s is refused with %i %s', async (path, status, code, field) => {
    const reply = await fixture.get(path);
    expect(reply).toMatchObject({ status, body: { code, requestId: reply.headers.get('x-request-id') } });
    if (field !== undefined) expect(reply.body.details).toMatchObject({ field });
  });

  it('more than twenty markets at once are refused for claim data', async () => {
    const ids = Array.from({ length: 21 }, (_, index) => `0x${String(index).padStart(64, '0')}`);
    const reply = await fixture.get(`/api/v1/users/${alice}/claim-data?chain_id=${CHAIN_ID}&markets=${ids.join(',')}`);
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_field', details: { field: 'markets' } } });
  });
});

describe('a wallet', () => {
  it('has reserved what its orders and unsettled fills could cost, and not what the chain already counts', async () => {
    const { host, chain } = fixture;
    const { marketId } = busy;
    await chain.give(alice, 100_000_000n);
    await chain.approve(alice, chain.contracts.settlement.address as Address, 70_000_000n);
    await chain.split(bob, busy, 4_000_000n);
    await host.submit(traders.aliceBuysYes({ marketId, price: '0.333333', size: '10.000001' }));
    const balances = (wallet: Address, more = '') =>
      fixture.read(`/api/v1/users/${wallet}/balances?chain_id=${CHAIN_ID}${more}`);
    // 10.000001 x 0.333333 = 3.333330333333, rounded up, and 0.001 for the rounding of its fills.
    expect(await balances(alice)).toEqual({
      balance: '100000000',
      allowance: '70000000',
      reserved: '3334331',
      available: '96665669',
    });
    await host.submit(traders.bobSellsYes({ marketId, price: '0.6', size: '10' }));
    // 4 are held; the other 6 lock 6 and bring 3.6.
    expect(await balances(bob)).toMatchObject({ reserved: '2400000', balance: '0', available: '0' });
    const [, matched] = await host.submit(traders.bobSellsYes({ marketId, price: '0.333333', size: '6' }));
    if (matched?.type !== 'trade-matched') throw new Error('no trade');
    // The fill takes the 4 and mints 2 for 1.999998, bringing nothing in; the ask of 10 is then all without shares.
    expect(await balances(bob, '&include=unsettled')).toMatchObject({
      reserved: String(2_000_000 - 1_999_998 + 4_000_000),
      unsettled: '-2',
    });
    expect(await balances(alice, '&include=unsettled')).toMatchObject({
      reserved: String(1_999_998 + 1_334_333),
      unsettled: '-1999998',
    });
    const settlement = { transactionHash: `0x${'11'.repeat(32)}`, batchIndex: 0, isBatch: false, attempt: 1 } as const;
    const trade = { type: 'move-trade', marketId, tradeId: matched.tradeId, settlement } as const;
    await host.submit({ ...trade, stage: 'submitted' });
    await host.submit({ ...trade, stage: 'mined', settlement: { ...settlement, blockNumber: 9 } });
    expect(await balances(alice, '&include=unsettled')).toMatchObject({ reserved: '1334333', unsettled: '0' });
  });

  it('can read its allowance for any spender', async () => {
    const { chain } = fixture;
    await chain.approve(carol, dave, 123n);
    const of = (spender: string) =>
      fixture.read(`/api/v1/users/${carol}/balances?chain_id=${CHAIN_ID}&spender=${spender}`);
    expect(await of(dave)).toMatchObject({ allowance: '123' });
    expect(await of(toChecksumAddress(dave))).toMatchObject({ allowance: '123' });
    expect(await of(bob)).toMatchObject({ allowance: '0' });
  });

  it('sees a trade in its activity, its standing and the holders the moment it is answered', async () => {
    const { host } = fixture;
    const market = await fixture.list(await fixture.chain.createMarket({ question: 'At once?', createdAt: 3_000 }));
    const { marketId } = market;
    await host.submit(traders.carolSellsNo({ marketId, price: '0.25', size: '8' }));
    await host.submit(traders.daveBuysNo({ marketId, price: '0.25', size: '3' }));
    const { topHolders, totalHolders } = await fixture.read(`/api/v1/holders/${marketId}`);
    expect({ topHolders, totalHolders }).toEqual({
      topHolders: [
        { userAddress: toChecksumAddress(carol), yesShares: 3_000_000, noShares: 0, totalInvested: 2_250_000 },
        { userAddress: toChecksumAddress(dave), yesShares: 0, noShares: 3_000_000, totalInvested: 750_000 },
      ],
      totalHolders: 2,
    });
    const { activity } = await fixture.read(`/api/v1/users/${dave}/activity?chain_id=${CHAIN_ID}`);
    expect(activity).toMatchObject([
      { marketId, side: 0, role: 'taker', cost: 750_000, status: 'pending', txHash: '' },
    ]);
    expect(await fixture.read(`/api/v1/user-stats?address=${dave}`)).toMatchObject({
      volume: 750_000,
      trade_count: 1,
      total_cost: 750_000,
      position_value: 750_000,
      pnl: 0,
      pnl_percentage: 0,
    });
    await host.submit(traders.carolSellsNo({ marketId, price: '0.2', size: '1' }));
    await host.submit(traders.aliceBuysNo({ marketId, price: '0.2', size: '1' }));
    expect(await fixture.read(`/api/v1/user-stats?address=${dave}`)).toMatchObject({
      total_cost: 750_000,
      position_value: 600_000,
      pnl: -150_000,
      pnl_percentage: -20,
    });
  });
});

describe('claims and nonces', () => {
  it('show what a resolved market pays, and nothing before', async () => {
    const { chain, host } = fixture;
    const yes = await fixture.list(await chain.createMarket({ question: 'Yes?', createdAt: 4_000 }));
    const nobody = await fixture.list(await chain.createMarket({ question: 'Void?', createdAt: 4_001 }));
    // The view must know where to look: a trade puts the wallet there, the shares themselves are on the chain.
    for (const { marketId } of [yes, nobody]) {
      await host.submit(traders.bobSellsYes({ marketId, price: '0.5', size: '1' }));
      await host.submit(traders.daveBuysYes({ marketId, price: '0.5', size: '1' }));
    }
    await chain.split(dave, yes, 7_000_001n);
    await chain.split(dave, nobody, 5n);
    await chain.transferShares(dave, carol, nobody.noTokenId, 2n);
    const claimable = () => fixture.readChecked(`/api/v1/users/${dave}/claimable?chain_id=${CHAIN_ID}`, ClaimableList);
    const names = `${yes.contractAddress.toUpperCase().replace('0X', '0x')},${nobody.marketId},${empty.marketId}`;
    const path = `/api/v1/users/${dave}/claim-data?chain_id=${CHAIN_ID}&markets=${names}`;
    expect(await claimable()).toEqual({ claimable: [], count: 0, totalPayout: 0 });
    const before = (await fixture.readChecked(path, ClaimDataList)).markets as object[];
    expect(before).toHaveLength(3);
    for (const each of before)
      expect(each).toMatchObject({ resolved: false, winning_outcome: null, winning_balance: 0 });

    await chain.report(yes, [1n, 0n]);
    await chain.report(nobody, [1n, 1n]);
    const entry = (
      { marketId, contractAddress }: MarketFacts,
      outcome_label: string,
      balance: number,
      payout: number,
    ) => {
      return {
        market_id: marketId,
        contract_address: toChecksumAddress(contractAddress),
        outcome_label,
        balance,
        payout,
      };
    };
    expect(await claimable()).toEqual({
      claimable: [entry(yes, 'YES', 7_000_001, 7_000_001), entry(nobody, 'YES', 5, 2), entry(nobody, 'NO', 3, 1)],
      count: 3,
      totalPayout: 7_000_004,
    });
    const after = (await fixture.readChecked(path, ClaimDataList)).markets;
    expect(after).toMatchObject([
      {
        market_address: toChecksumAddress(yes.contractAddress),
        market_id: yes.marketId,
        condition_id: yes.marketId,
        resolved: true,
        winning_outcome: 0,
        winning_balance: 7_000_001,
        ctf_address: toChecksumAddress(yes.conditionalTokens),
        collateral_token: toChecksumAddress(yes.stablecoin),
        ctf_nonce: 0,
      },
      { market_id: nobody.marketId, resolved: true, winning_outcome: 0, winning_balance: 5 },
      { market_id: nobody.marketId, resolved: true, winning_outcome: 1, winning_balance: 3 },
      { market_id: empty.marketId, resolved: false, winning_outcome: null },
    ]);
  });

  it('are returned for the stablecoin, the conditional tokens, the settlement and every listed market, and for no other contract', async () => {
    const { stablecoin, conditionalTokens, settlement } = fixture.chain.contracts;
    const of = (contract: string) => `/api/v1/contracts/nonce/${contract}/${alice}?chain_id=${CHAIN_ID}`;
    for (const contract of [
      stablecoin.address,
      toChecksumAddress(conditionalTokens.address as Address),
      settlement.address,
      busy.contractAddress,
    ]) {
      expect(await fixture.readChecked(of(contract), ContractNonce)).toEqual({ nonce: 0 });
    }
    expect(await fixture.get(of(alice))).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const elsewhere = await fixture.get(of(stablecoin.address).replace(String(CHAIN_ID), String(UNKNOWN_CHAIN)));
    expect(elsewhere).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('are not returned for a market whose creation was reorganized away', async () => {
    const gone = await fixture.list(await fixture.chain.createMarket({ question: 'Gone?', createdAt: 5_000 }));
    await fixture.host.submit({ type: 'close-market', marketId: gone.marketId, reason: 'vanished' });
    const nonce = await fixture.get(`/api/v1/contracts/nonce/${gone.contractAddress}/${alice}?chain_id=${CHAIN_ID}`);
    expect(nonce.status).toBe(404);
    const data = await fixture.get(`/api/v1/users/${alice}/claim-data?chain_id=${CHAIN_ID}&markets=${gone.marketId}`);
    expect(data).toMatchObject({ status: 404, body: { code: 'market_not_found' } });
  });
});

describe('with the chain unreachable', () => {
  it('what must be read from the chain is refused with 503, what the view has is returned', async () => {
    const { stablecoin } = fixture.chain.contracts;
    await fixture.chain.setChain('down');
    try {
      for (const path of [
        `/api/v1/users/${alice}/balances?chain_id=${CHAIN_ID}`,
        `/api/v1/users/${dave}/claimable?chain_id=${CHAIN_ID}`,
        `/api/v1/users/${dave}/claim-data?chain_id=${CHAIN_ID}&markets=${busy.marketId}`,
        `/api/v1/contracts/nonce/${stablecoin.address}/${alice}?chain_id=${CHAIN_ID}`,
      ]) {
        const reply = await fixture.get(path);
        expect(reply, path).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } });
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await fixture.get(`/api/v1/stats/${busy.marketId}`)).status).toBe(200);
      expect((await fixture.get(`/api/v1/user-stats?address=${dave}`)).status).toBe(200);
    } finally {
      await fixture.chain.setChain('up');
    }
    expect((await fixture.get(`/api/v1/users/${alice}/balances?chain_id=${CHAIN_ID}`)).status).toBe(200);
  });
});

describe('lists of markets', () => {
  it('come in pages, newest first, that miss none and repeat none, also when a market is listed between them', async () => {
    const twins = ['Twin?', 'Other twin?'].map((question) =>
      fixture.chain.createMarket({ question, createdAt: 6_000 }),
    );
    for (const twin of await Promise.all(twins)) await fixture.list(twin);
    const all = (await fixture.readChecked('/api/v1/markets?limit=500', MarketList)).markets as {
      id: string;
      createdAt: number;
    }[];
    const times = all.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const seen: string[] = [];
    let cursor: unknown = '';
    for (let page = 0; cursor !== null; page++) {
      const { markets, count, nextCursor } = await fixture.read(
        `/api/v1/markets?limit=1${cursor && `&cursor=${cursor}`}`,
      );
      expect(count).toBe(1);
      seen.push(...(markets as { id: string }[]).map(({ id }) => id));
      if (page === 1) await fixture.list(await fixture.chain.createMarket({ question: 'Late?', createdAt: 7_000 }));
      cursor = nextCursor;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it('hold every open market without a limit, and keep their filters when paged', async () => {
    const { markets, nextCursor } = await fixture.readChecked('/api/v1/markets', MarketList);
    expect((markets as unknown[]).length).toBe(fixture.host.reads.markets().length);
    expect(nextCursor).toBeNull();
    const page = await fixture.read('/api/v1/markets?limit=1&search=twin');
    expect(page).toMatchObject({ count: 1 });
    const rest = await fixture.read(`/api/v1/markets?limit=1&search=twin&cursor=${page.nextCursor}`);
    expect(rest).toMatchObject({ count: 1, nextCursor: null });
  });
});

describe('entity tags', () => {
  const pathsOf = (marketId: string) => [
    '/api/v1/markets',
    `/api/v1/markets/${marketId}`,
    `/api/v1/orderbook/${marketId}`,
    `/api/v1/orderbook/${marketId}?outcome=YES`,
  ];

  it('spare a reader what it has, and change with what they stand for', async () => {
    for (const path of pathsOf(busy.marketId)) {
      const first = await fixture.get(path);
      const tag = first.headers.get('etag')!;
      expect(tag, path).toMatch(/^"[\w-]+"$/);
      expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
      for (const names of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await fixture.get(path, { 'if-none-match': names });
        expect([again.status, again.text, again.headers.get('etag')], `${path} ${names}`).toEqual([304, '', tag]);
      }
      expect(await fixture.get(path, { 'if-none-match': '"other"' })).toMatchObject({ status: 200, text: first.text });
      fixture.clock.advanceSeconds(1);
      await fixture.host.submit(traders.carolBuysYes({ marketId: busy.marketId, price: '0.1', size: '1' }));
      const changed = await fixture.get(path, { 'if-none-match': tag });
      expect(changed.status, path).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(tag);
    }
  });

  it('are there for the empty book of an unknown market too', async () => {
    const first = await fixture.get(`/api/v1/orderbook/${UNKNOWN_MARKET}`);
    expect(first).toMatchObject({ status: 200, body: { bids: [], asks: [], seq: 0 } });
    const tag = first.headers.get('etag')!;
    expect((await fixture.get(`/api/v1/orderbook/${UNKNOWN_MARKET}`, { 'if-none-match': tag })).status).toBe(304);
  });
});
