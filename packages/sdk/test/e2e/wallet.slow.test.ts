// A wallet without gas, on a service of two chains that requires keys and does not fund wallets: from setup to the last redeemed unit.
import { waitFor } from '@presage/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Market, PresageApiError, type TradingClient } from '../../src/index.ts';
import { testInBrowser } from './in-browser.ts';
import { usePlace } from './sdk-sandbox.ts';
import { testTwoChains } from './two-chains.ts';

const ENV = {
  PRESAGE_SANDBOX_CHAINS: '2',
  PRESAGE_QUICK_ASSETS: 'ETH',
  PRESAGE_AUTH: 'required',
  PRESAGE_SANDBOX_AUTOFUND: 'off',
  PRESAGE_KEEPER: 'off',
};
const DISPUTE_SECONDS = 7_200;

const place = usePlace(ENV);

async function fundedClient(name: string, units: bigint): Promise<TradingClient> {
  const client = place.sandbox.client(name);
  await place.sandbox.post('/sandbox/fund', { address: client.address, amount: units });
  return client;
}

async function unitsOf(client: TradingClient): Promise<bigint> {
  return BigInt((await client.balances()).balance);
}

testInBrowser(place);

describe('setup', () => {
  it('does what is missing, once, and the wallet can trade', async () => {
    const ann = await fundedClient('wallet ann', 100_000_000n);
    const params = { marketId: `0x${'00'.repeat(32)}`, side: 'buy', price: '0.5', size: '1' } as const;
    const { id: marketId } = await place.sandbox.newMarket('Is the wallet set up?');
    await expect(ann.placeOrder({ ...params, marketId })).rejects.toThrow('setup()');
    const report = await ann.setup({ keyName: 'wallet test' });
    expect(report.done).toEqual(['api-key', 'stablecoin-permit', 'ctf-approval']);
    expect((await ann.setup()).done).toEqual([]);
    const again = place.sandbox.client('wallet ann', report.apiKey);
    expect((await again.setup()).done).toEqual([]);
    expect((await again.listApiKeys()).apiKeys).toMatchObject([{ name: 'wallet test', active: true }]);
    await expect(again.placeOrder(params)).rejects.toMatchObject({ code: 'market_not_found' });
    // Less than was allowed is set as well: an allowance is the most that can be lost.
    expect((await again.setup({ allowance: '40' })).done).toEqual(['stablecoin-permit']);
    expect((await again.balances()).allowance).toBe('40000000');
    expect((await again.setup({ allowance: '40' })).done).toEqual([]);
    await again.revokeApiKey(report.apiKey?.id ?? '');
    await expect(again.listApiKeys()).rejects.toMatchObject({ code: 'api_key_inactive', status: 401 });
  });
});

describe('a market from its first trade to the last unit', () => {
  let markets: Market[];
  let [ann, ben]: [TradingClient, TradingClient] = [] as never;

  beforeAll(async () => {
    markets = [];
    for (const name of ['one', 'two', 'three'])
      markets.push(await place.sandbox.newMarket(`Is ${name} the number?`, 3_600));
    [ann, ben] = [await fundedClient('wallet seller', 50_000_000n), await fundedClient('wallet buyer', 50_000_000n)];
    await ann.setup();
    await ben.setup();
  });

  it('splits and merges, and sells what was split', async () => {
    const [{ id: marketId }] = markets as [Market, Market, Market];
    await (await ann.split(marketId, '10')).wait();
    await (await ann.merge(marketId, '1.5')).wait();
    expect(await unitsOf(ann)).toBe(41_500_000n);
    await ann.placeOrder({ marketId, side: 'sell', price: '0.6', size: '4' });
    const buying = await ben.placeOrder({ marketId, side: 'buy', price: '0.6', size: '4' });
    expect((await buying.waitForSettlement()).settled).toHaveLength(1);
    expect([await unitsOf(ann), await unitsOf(ben)]).toEqual([43_900_000n, 47_600_000n]);
    expect(await ben.positions()).toMatchObject([{ marketId, yesShares: 4_000_000 }]);
  });

  it('sells shares it does not hold in the other markets, which buys their other side', async () => {
    for (const { id: marketId } of markets.slice(1)) {
      await ann.placeOrder({ marketId, side: 'sell', price: '0.7', size: '5' });
      const buying = await ben.placeOrder({ marketId, side: 'buy', price: '0.7', size: '5' });
      expect((await buying.waitForSettlement()).failed).toEqual([]);
    }
    expect([await unitsOf(ann), await unitsOf(ben)]).toEqual([40_900_000n, 40_600_000n]);
    expect(await ann.getPosition(markets[1]!.id, ann.address)).toMatchObject({ noShares: 5_000_000 });
  });

  it('is proposed, cannot be settled early, and is settled after the window', async () => {
    await place.sandbox.post('/sandbox/time', { advanceSeconds: 3_601 });
    for (const { id } of markets) await (await ben.proposeResolution(id, 'YES')).wait();
    const early = await ben.settleMarket(markets[0]!.id, { winningOutcome: 'YES' }).catch((error: unknown) => error);
    expect(early).toBeInstanceOf(PresageApiError);
    expect(early).toMatchObject({ code: 'simulation_failed', status: 400 });
    await place.sandbox.post('/sandbox/time', { advanceSeconds: DISPUTE_SECONDS + 1 });
    for (const { id } of markets) await (await ben.settleMarket(id)).wait();
    for (const { id } of markets) {
      await waitFor('it is resolved', async () => (await ben.getResolution(id)).resolved);
      expect(await ben.getMarket(id)).toMatchObject({ status: 'resolved', winningOutcome: 0 });
    }
  });

  it('pays every winner to the last unit, three markets in one transaction', async () => {
    const redeemed = await ben.redeemAll();
    expect(redeemed.transactions).toHaveLength(1);
    expect(redeemed.marketIds.toSorted()).toEqual(markets.map(({ id }) => id).toSorted());
    expect(redeemed.totalPayout).toBe(14_000_000n);
    for (const transaction of redeemed.transactions) await transaction.wait();
    expect(await unitsOf(ben)).toBe(54_600_000n);
    const rest = await ann.redeemAll();
    for (const transaction of rest.transactions) await transaction.wait();
    // 8.5 were left after the merge, 4 of them sold.
    expect(rest.totalPayout).toBe(4_500_000n);
    expect((await unitsOf(ann)) + (await unitsOf(ben))).toBe(100_000_000n);
    expect(await ben.redeemAll()).toMatchObject({ transactions: [], totalPayout: 0n });
  });
});

describe('a quick market', () => {
  it('pays its winner without gas, to the last unit', async () => {
    const [ann, ben] = [await fundedClient('quick ann', 20_000_000n), await fundedClient('quick ben', 20_000_000n)];
    await ann.setup();
    await ben.setup();
    const current = await waitFor('a window is open', async () => {
      const answer = await ann.getQuickMarket('ETH');
      return answer.active && answer.quickMarket;
    });
    const { marketId, startPrice, endTime } = current;
    await place.sandbox.post('/sandbox/price', { asset: 'ETH', priceUSD: Number(startPrice) / 1e8 + 1 });
    await ben.placeOrder({ marketId, side: 'sell', price: '0.6', size: '10' });
    const order = await ann.placeOrder({ marketId, side: 'buy', price: '0.6', size: '10' });
    expect((await order.waitForSettlement()).failed).toEqual([]);

    const { now } = await ann.getTime();
    await place.sandbox.post('/sandbox/time', { advanceSeconds: Number(endTime) - now + 2 });
    await waitFor('the window is decided', async () => {
      const { markets } = await ann.listQuickMarkets('ETH');
      return markets.find((each) => each.marketId === marketId)?.resolved;
    });
    const { totalPayout, transactions } = await ann.redeemAll();
    for (const transaction of transactions) await transaction.wait();
    expect(BigInt(totalPayout)).toBe(10_000_000n);
    expect([await unitsOf(ann), await unitsOf(ben)]).toEqual([24_000_000n, 16_000_000n]);
  });
});

testTwoChains(place);
