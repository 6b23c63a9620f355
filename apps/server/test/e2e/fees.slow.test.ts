// A market that charges takers, from its creation over HTTP to what the treasury and the maker have on chain.
import { walletOf } from '@presage/testkit';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundAndApprove } from './approvals.ts';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

const UNIT = 1_000_000n;
/** 2 % of 10 shares at 0.4 x 0.6, of which a quarter is the maker's. */
const FEE = 48_000n;
const REBATE = 12_000n;
let exchange: Exchange;
let treasury: `0x${string}`;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({
    env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_MARKET_FEES: 'crypto=150:1000,quick=50' },
  });
  const { chains, quickMarkets } = await exchange.client.read<ConfigBody>('/api/v1/config');
  treasury = chains[0]!.treasury;
  expect(quickMarkets).toMatchObject({ feeRateBps: 50, makerShareBps: 0 });
  market = await newMarket({ question: 'Who pays for this?', feeRateBps: 200, makerShareBps: 2_500 });
});
afterAll(() => exchange?.close());

interface ConfigBody {
  readonly chains: readonly { readonly treasury: `0x${string}` }[];
  readonly quickMarkets: object;
}

async function newMarket(terms: object): Promise<MarketBody> {
  const { status, body } = await exchange.client.post<MarketBody>('/sandbox/markets', { expiresIn: 86_400, ...terms });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function openWallet(name: string): Promise<PrivateKeyAccount> {
  const wallet = walletOf(`fees ${name}`);
  await fundAndApprove(exchange, wallet);
  return wallet;
}

/** What a trade moves: of the two wallets and of the treasury. */
async function changesBy(wallets: readonly PrivateKeyAccount[], trade: () => Promise<void>): Promise<bigint[]> {
  const read = () =>
    Promise.all([...wallets.map(({ address }) => address), treasury].map((owner) => exchange.chain.money(owner)));
  const before = await read();
  await trade();
  await exchange.settled();
  return (await read()).map((money, index) => money - before[index]!);
}

describe('a market with a fee', () => {
  const order = { price: '0.4', size: '10' } as const;

  it('charges a buyer who takes, pays the maker back and the treasury the rest', async () => {
    const [maker, taker] = [await openWallet('maker one'), await openWallet('taker one')];
    const changes = await changesBy([maker, taker], async () => {
      await exchange.client.order(maker, { ...order, market: market.id, side: 'sell' });
      await exchange.client.order(taker, { ...order, market: market.id, side: 'buy' });
    });
    // The maker mints: the complement costs 10, and the sale brings 4.
    expect(changes).toEqual([-6n * UNIT + REBATE, -4n * UNIT - FEE, FEE - REBATE]);
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }]);
  });

  it('charges a seller who takes and mints beside the complement', async () => {
    const [maker, taker] = [await openWallet('maker two'), await openWallet('taker two')];
    const changes = await changesBy([maker, taker], async () => {
      await exchange.client.order(maker, { ...order, market: market.id, side: 'buy' });
      await exchange.client.order(taker, { ...order, market: market.id, side: 'sell' });
    });
    expect(changes).toEqual([-4n * UNIT + REBATE, -6n * UNIT - FEE, FEE - REBATE]);
    expect((await exchange.sharesBothWays(market, taker)).onChain).toEqual({ yes: 0n, no: 10n * UNIT });
  });

  it('leaves markets without one alone', async () => {
    const plain = await exchange.newMarket('Does this cost nothing?');
    const [maker, taker] = [await openWallet('maker three'), await openWallet('taker three')];
    const changes = await changesBy([maker, taker], async () => {
      await exchange.client.order(maker, { ...order, market: plain.id, side: 'buy' });
      await exchange.client.order(taker, { ...order, market: plain.id, side: 'sell' });
    });
    expect(changes).toEqual([-4n * UNIT, -6n * UNIT, 0n]);
  });

  it('is refused beyond the bounds', async () => {
    const terms = { question: 'Is this too dear?', expiresIn: 86_400, feeRateBps: 701 };
    expect((await exchange.client.post('/sandbox/markets', terms)).status).toBe(400);
  });
});

describe('a fee', () => {
  it('is told before the order, counted in what it reserves, and shown wherever the trade is', async () => {
    const fresh = await newMarket({ question: 'Is the fee told?', feeRateBps: 200, makerShareBps: 2_500 });
    expect(fresh).toMatchObject({ feeRateBps: 200, makerShareBps: 2_500 });
    const [maker, taker] = [await openWallet('maker four'), await openWallet('taker four')];
    await exchange.client.order(maker, { market: fresh.id, side: 'sell', price: '0.4', size: '10' });
    const submission = await exchange.client.signOrder(taker, {
      market: fresh.id,
      side: 'buy',
      price: '0.6',
      size: '10',
    });
    // The most is charged at a half, the most is taken at the limit.
    expect((await exchange.client.post('/api/v1/orders/validate', submission)).body).toMatchObject({
      errors: [],
      maxFee: 50_000,
      funds: { required: String(6_000_000 + 48_000 + 2_000) },
      wouldMatch: { cost: 4_000_000, fee: 48_000 },
    });
    const charged = { fee: 48_000, makerRebate: 12_000, feePayer: taker.address };
    await exchange.client.post('/sandbox/faults', { chain: 'down' });
    const placed = await exchange.client.post<{ orderHash: string }>('/api/v1/orders', submission);
    expect(placed.body).toMatchObject({ trades: [{ price: 400_000, fee: 48_000 }] });
    await expect
      .poll(() => exchange.client.read<object>('/api/v1/pending-trades'), { timeout: 60_000 })
      .toMatchObject({ pendingTrades: [{ marketId: fresh.id, ...charged }] });
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
    await exchange.settled();
    const [trade] = await exchange.trades(fresh.id);
    expect(trade).toMatchObject(charged);
    const read = (path: string) => exchange.client.read<object>(`/api/v1/${path}`);
    expect(await read(`settlements/${trade!.txHash}`)).toMatchObject({ fills: [charged] });
    expect(await read(`users/${maker.address}/activity?chain_id=31337`)).toMatchObject({
      activity: [{ role: 'maker', ...charged }],
    });
    expect(await read(`orders/${placed.body.orderHash}/events`)).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ type: 'filled', fee: 48_000, makerRebate: 12_000 })]),
    });
    expect(await read(`positions/${fresh.id}?user=${taker.address}`)).toMatchObject({
      yesCost: 4_048_000,
      realizedPnl: 0,
    });
    expect(await read(`positions/${fresh.id}?user=${maker.address}`)).toMatchObject({
      noCost: 6_000_000,
      realizedPnl: 12_000,
    });
  });
});
