// Quick markets through the whole sandbox: aligned, struck, traded, rolled over, resolved on chain, redeemed, killed, void.
import { conditionalTokensWithPermitAbi } from '@presage/contracts';
import { ActiveQuickMarket, type MarketId, NoActiveQuickMarket, QuickMarketHistory } from '@presage/protocol';
import { QUICK_MARKETS, waitFor, walletOf } from '@presage/testkit';
import type Type from 'typebox';
import { encodeFunctionData, type Hex, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OnChainWallet } from './approvals.ts';
import { Exchange } from './exchange.ts';
import { RelayedWallet } from './relayed-wallet.ts';
import { type ErrorReply, expectShape, type MarketBody } from './wire.ts';

type Active = Type.Static<typeof ActiveQuickMarket>;
type History = Type.Static<typeof QuickMarketHistory>;
type Quick = Active['quickMarket'] & { readonly marketId: MarketId };

interface ClaimEntry {
  readonly winning_outcome: number;
  readonly winning_balance: number;
  readonly ctf_nonce: number;
}

const WINDOW = 900;
const DAY = 86_400;
const [ann, ben] = [walletOf('quick ann'), walletOf('quick ben')];
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open({ env: QUICK_MARKETS });
});
afterAll(() => exchange?.close());

async function now(): Promise<number> {
  return (await exchange.client.read<{ now: number }>('/api/v1/time')).now;
}

function activeOf(asset: string): Promise<Quick> {
  return waitFor(`${asset} has an active market`, async () => {
    const answer = await exchange.client.read<Active>(`/api/v1/quick-markets/${asset}`);
    return answer.active && (answer.quickMarket as Quick);
  });
}

async function historyOf(asset: string): Promise<Quick[]> {
  return (await exchange.client.read<History>(`/api/v1/quick-markets/${asset}/history`)).markets as Quick[];
}

function resolvedOf(asset: string, startTime: number): Promise<Quick> {
  return waitFor(`the market of ${asset} at ${startTime} is resolved`, async () => {
    return (await historyOf(asset)).find((each) => each.startTime === startTime && each.resolved);
  });
}

async function isFresh(asset: string): Promise<boolean | undefined> {
  const { feeds } = await exchange.client.read<{ feeds: { asset: string; fresh: boolean }[] }>('/api/v1/status');
  return feeds.find((feed) => feed.asset === asset)?.fresh;
}

/** To shortly before the end of the window that runs, or of the next where this one ends sooner: nobody travels back. */
async function travelToLastSeconds(seconds: number): Promise<void> {
  const left = WINDOW - ((await now()) % WINDOW) - seconds;
  await exchange.travel(left > 0 ? left : left + WINDOW);
}

async function pin(asset: string, priceUSD: number | null): Promise<void> {
  const { status } = await exchange.client.post('/sandbox/price', { asset, priceUSD });
  expect(status).toBe(200);
}

/** Two wallets take the two sides of a market. */
async function trade(marketId: MarketId): Promise<void> {
  const params = { market: marketId, price: '0.6', size: '5', expiration: (await now()) + 2 * DAY } as const;
  await exchange.client.order(ann, { ...params, side: 'sell' });
  const { matches } = await exchange.client.order(ben, { ...params, side: 'buy' });
  expect(matches).toBe(1);
  await exchange.settled();
}

/** Redeems both outcomes on chain; answers what was paid. */
async function redeem({ address }: { readonly address: Hex }, marketId: MarketId): Promise<bigint> {
  const market = await exchange.client.read<MarketBody>(`/api/v1/markets/${marketId}`);
  const before = await exchange.chain.money(address);
  const data = encodeFunctionData({
    abi: conditionalTokensWithPermitAbi,
    functionName: 'redeemPositions',
    args: [market.stablecoin as Hex, zeroHash, marketId, [1n, 2n]],
  });
  await exchange.chain.sendAs({ from: address, to: market.conditionalTokens as Hex, data });
  return (await exchange.chain.money(address)) - before;
}

describe('a first start', () => {
  it.each(['BTC', 'eth'])('has an active market of %s, aligned to the quarter of an hour', async (asset) => {
    const quick = await activeOf(asset);
    const answer = await exchange.client.read<Active>(`/api/v1/quick-markets/${asset}`);
    expectShape(answer, ActiveQuickMarket);
    expect(answer).toMatchObject({ active: true, asset: asset.toUpperCase(), bestAskPrice: 0 });
    expect(quick).toMatchObject({
      intervalMinutes: 15,
      resolved: false,
      endPrice: null,
      outcome: null,
      status: 'open',
    });
    expect(quick).toMatchObject({ priceSource: 'pyth', priceDecimals: 8, simulated: true, endEvidence: null });
    expect(quick.startTime % WINDOW).toBe(0);
    expect(quick.endTime).toBe(quick.startTime + WINDOW);
    const time = await now();
    expect(quick.startTime).toBeLessThanOrEqual(time);
    expect(quick.startEvidence.publishTime).toBe(quick.startTime);
    const market = await exchange.client.read<MarketBody>(`/api/v1/markets/${quick.marketId}`);
    expect(market).toMatchObject({ kind: 'quick', category: 'general', contractAddress: quick.contractAddress });
    expect(market.expiration).toBe(quick.endTime);
    const { markets } = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?kind=quick&status=open');
    expect(markets.map(({ id }) => id)).toContain(quick.marketId);
  });

  it('lists its assets, answers for those it does not have, and refuses what is no symbol', async () => {
    const { quickMarkets } = await exchange.client.read<{ quickMarkets: object }>('/api/v1/config');
    expect(quickMarkets).toEqual({
      assets: ['BTC', 'ETH'],
      intervalMinutes: 15,
      priceDecimals: 8,
      feeRateBps: 0,
      makerShareBps: 0,
    });
    const none = await exchange.client.read('/api/v1/quick-markets/pepe');
    expectShape(none, NoActiveQuickMarket);
    expect(none).toEqual({ active: false, asset: 'PEPE', nextMarket: null, quickMarket: null });
    const history = await exchange.client.read('/api/v1/quick-markets/pepe/history');
    expect(history).toEqual({ asset: 'PEPE', markets: [], count: 0 });
    const refused = await exchange.client.get<ErrorReply>('/api/v1/quick-markets/not-a-symbol');
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', details: { field: 'asset' } } });
  });
});

describe('a window that rolls over', () => {
  it.each([
    ['lower, is NO', 70_000, 69_999.99999999, 1],
    ['equal, is YES', 70_000, 70_000, 0],
  ] as const)('with a price that is %s, in the API and on chain', async (_, startUsd, endUsd, outcome) => {
    await travelToLastSeconds(20);
    await pin('BTC', startUsd);
    await exchange.travel(25);
    const quick = await activeOf('BTC');
    expect(quick.startPrice).toBe(startUsd * 1e8);
    await trade(quick.marketId);
    await travelToLastSeconds(20);
    await pin('BTC', endUsd);
    await exchange.travel(25);
    const resolved = await resolvedOf('BTC', quick.startTime);
    expect(resolved).toMatchObject({ id: quick.id, outcome, status: 'resolved', startPrice: startUsd * 1e8 });
    expect(resolved.endPrice).toBe(Math.round(endUsd * 1e8));
    expect(resolved.endEvidence?.publishTime).toBe(quick.endTime);
    expect((await activeOf('BTC')).startPrice).toBe(resolved.endPrice);
    expect((await activeOf('BTC')).startEvidence).toEqual(resolved.endEvidence);
    const market = await exchange.client.read<MarketBody>(`/api/v1/markets/${quick.marketId}`);
    expect(market).toMatchObject({ resolved: true, winningOutcome: outcome, status: 'resolved' });
    // Ben bought five YES; Ann sold what she did not have, and so holds five NO.
    const paid = [await redeem(ben, quick.marketId), await redeem(ann, quick.marketId)];
    expect(paid).toEqual(outcome === 0 ? [5_000_000n, 0n] : [0n, 5_000_000n]);
  });

  it('counts no signed operations of its own', async () => {
    const [{ contractAddress }] = (await historyOf('BTC')) as [Quick];
    const path = `/api/v1/contracts/nonce/${contractAddress}/${ann.address}?chain_id=31337`;
    expect(await exchange.client.read(path)).toEqual({ nonce: 0 });
  });

  it('takes no order for the one that is over', async () => {
    const [, over] = await historyOf('BTC');
    const params = { market: over!.marketId, side: 'buy', price: '0.5', size: '1' } as const;
    const refused = await exchange.client.placeOrder(ann, { ...params, expiration: (await now()) + DAY });
    expect(refused).toMatchObject({ status: 409, body: { code: 'market_closed' } });
  });
});

describe('shares that move before their window is listed', () => {
  /** The contract is made some time ahead of the window. */
  async function splitAhead(name: string) {
    await travelToLastSeconds(60);
    const startTime = Math.ceil((await now()) / WINDOW) * WINDOW;
    const created = await waitFor('the next window is created', () => exchange.chain.quickMarket('ETH', startTime));
    const market = { ...created, id: created.marketId } as unknown as MarketBody;
    expect((await exchange.client.get(`/api/v1/markets/${market.id}`)).status).toBe(404);
    const wallet = walletOf(name);
    const purse = await OnChainWallet.open(exchange, wallet);
    await purse.fund(7_000_000n);
    await purse.split(market, 7_000_000n);
    return { wallet, market, startTime };
  }

  async function expectHeld({ wallet, market, startTime }: Awaited<ReturnType<typeof splitAhead>>): Promise<void> {
    await exchange.travel(65);
    await waitFor('the window is active', async () => (await activeOf('ETH')).startTime === startTime);
    const held = await waitFor('the position is known', async () => {
      const position = await exchange.position(market.id, wallet);
      return position.yesShares > 0 && position;
    });
    expect(held).toMatchObject({ yesShares: 7_000_000, noShares: 7_000_000, totalInvested: 7_000_000 });
    const { topHolders } = await exchange.client.read<{ topHolders: object[] }>(`/api/v1/holders/${market.id}`);
    expect(topHolders).toHaveLength(1);
  }

  it('are a position as soon as it is, without a sync', async () => {
    await expectHeld(await splitAhead('quick early'));
  });

  it('are so too when everything was killed in between, and the history of windows is what it was', async () => {
    const early = await splitAhead('quick early and killed');
    await activeOf('BTC');
    const before = await historyOf('BTC');
    expectShape(await exchange.client.read('/api/v1/quick-markets/BTC/history'), QuickMarketHistory);
    // Something that is worth remembering how far the chain was read.
    const listed = await exchange.newMarket('Is this read after the early shares?');
    const purse = await OnChainWallet.open(exchange, ann);
    await purse.fund(1_000_000n);
    await purse.split(listed, 1_000_000n);
    await waitFor('it was read', async () => (await exchange.position(listed.id, ann)).yesShares > 0);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: QUICK_MARKETS });
    await activeOf('BTC');
    const known = (await historyOf('BTC')).filter(({ id }) => before.some((each) => each.id === id));
    expect(known).toEqual(before);
    await expectHeld(early);
  });
});

/** As a client does that redeems what claim-data names, one outcome at a time. */
async function redeemEntryByEntry(wallet: RelayedWallet, market: MarketBody): Promise<void> {
  const path = `/api/v1/users/${wallet.address}/claim-data?chain_id=31337&markets=${market.id}`;
  const read = async () => (await exchange.client.read<{ markets: ClaimEntry[] }>(path)).markets;
  const entries = await read();
  expect(entries.map(({ winning_outcome, winning_balance }) => [winning_outcome, winning_balance])).toEqual([
    [0, 4_000_000],
    [1, 4_000_000],
  ]);
  for (const { winning_outcome: outcome } of entries) {
    const nonce = BigInt((await read())[0]!.ctf_nonce);
    const body = await wallet.redemption(market, { nonce, indexSets: [outcome === 0 ? 1n : 2n] });
    await wallet.relayed('ctf-redemption', body);
  }
  await waitFor('both are paid', async () => (await exchange.chain.money(wallet.address)) === 4_000_000n);
}

describe('an oracle that falls silent', () => {
  it('makes its assets stale and stops the trading in them, and only there, until it speaks again', async () => {
    const quick = await activeOf('ETH');
    const other = await exchange.newMarket('Does this one go on?');
    const stall = await exchange.client.post('/sandbox/faults', { oracle: 'stalled' });
    expect(stall).toMatchObject({ status: 200, body: { oracle: 'stalled', chain: 'up' } });
    const expiration = (await now()) + DAY;
    const params = { side: 'buy', price: '0.5', size: '1', expiration } as const;
    await waitFor('orders are refused', async () => {
      const { status, body } = await exchange.client.placeOrder(ann, { ...params, market: quick.marketId });
      if (status === 200) return undefined;
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'price_unavailable' } });
      return true;
    });
    await exchange.client.order(ann, { ...params, market: other.id });
    expect(await isFresh('ETH')).toBe(false);
    expect(await exchange.client.read('/api/v1/quick-markets/ETH/price')).toMatchObject({ price: expect.any(Number) });
    const wrong = await exchange.client.post('/sandbox/faults', { oracle: 'broken' });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_field', details: { field: 'oracle' } } });
    await exchange.client.post('/sandbox/faults', { oracle: 'normal' });
    await waitFor('orders are taken again', async () => {
      return (await exchange.client.placeOrder(ann, { ...params, market: quick.marketId })).status === 200;
    });
    expect(await isFresh('ETH')).toBe(true);
  });

  it('for a day makes its market void: half for each, and no outcome', async () => {
    await travelToLastSeconds(-5);
    const quick = await activeOf('BTC');
    await trade(quick.marketId);
    const market = await exchange.client.read<MarketBody>(`/api/v1/markets/${quick.marketId}`);
    const both = await RelayedWallet.open(exchange, walletOf('quick both'));
    const onChain = await OnChainWallet.open(exchange, both);
    await onChain.fund(4_000_000n);
    await onChain.split(market, 4_000_000n);
    await exchange.client.post('/sandbox/faults', { oracle: 'stalled' });
    await exchange.travel(WINDOW);
    expect(await exchange.client.read('/api/v1/quick-markets/BTC')).toMatchObject({ active: false, quickMarket: null });
    await exchange.travel(DAY);
    const gone = await resolvedOf('BTC', quick.startTime);
    expect(gone).toMatchObject({ status: 'void', endPrice: null, outcome: null, endEvidence: null });
    const resolution = await exchange.client.read<object>(`/api/v1/resolution/${quick.marketId}`);
    expect(resolution).toMatchObject({ resolved: true, status: 'void', payouts: [500_000, 500_000] });
    expect(resolution).not.toHaveProperty('winningOutcome');
    expect([await redeem(ben, quick.marketId), await redeem(ann, quick.marketId)]).toEqual([2_500_000n, 2_500_000n]);
    await redeemEntryByEntry(both, market);
    expect(await exchange.chain.money(both.address)).toBe(4_000_000n);
    await exchange.client.post('/sandbox/faults', { oracle: 'normal' });
  });
});
