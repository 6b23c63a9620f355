// A wallet without gas money, on a service that needs keys and funds nobody: set up, split, traded, merged.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Market, TradingClient } from '../../src/index.ts';
import { SdkSandbox } from './sdk-sandbox.ts';

const ENV = { PRESAGE_AUTH: 'required', PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_KEEPER: 'off' };

let sandbox: SdkSandbox;

beforeAll(async () => {
  sandbox = await SdkSandbox.open({ env: ENV });
});
afterAll(() => sandbox?.close());

async function fundedClient(name: string, units: bigint): Promise<TradingClient> {
  const client = sandbox.client(name);
  await sandbox.post('/sandbox/fund', { address: client.address, amount: units });
  return client;
}

async function unitsOf(client: TradingClient): Promise<bigint> {
  return BigInt((await client.balances()).balance);
}

describe('setup', () => {
  it('does what is missing, once, and lets the wallet trade', async () => {
    const ann = await fundedClient('wallet ann', 100_000_000n);
    const wish = { marketId: `0x${'00'.repeat(32)}`, side: 'buy', price: '0.5', size: '1' } as const;
    await expect(ann.placeOrder(wish)).rejects.toThrow('setup()');
    const report = await ann.setup({ keyName: 'wallet test' });
    expect(report.done).toEqual(['api-key', 'stablecoin-permit', 'ctf-approval']);
    expect((await ann.setup()).done).toEqual([]);
    const again = sandbox.client('wallet ann', report.apiKey);
    expect((await again.setup()).done).toEqual([]);
    expect((await again.listApiKeys()).apiKeys).toMatchObject([{ name: 'wallet test', active: true }]);
    await expect(again.placeOrder(wish)).rejects.toMatchObject({ code: 'market_not_found' });
    await again.revokeApiKey(report.apiKey?.id ?? '');
    await expect(again.listApiKeys()).rejects.toMatchObject({ code: 'api_key_inactive', status: 401 });
  });
});

describe('a market from its first trade to the last unit', () => {
  let markets: Market[];
  let [ann, ben]: [TradingClient, TradingClient] = [] as never;

  beforeAll(async () => {
    markets = [];
    for (const name of ['one', 'two', 'three']) markets.push(await sandbox.newMarket(`Is ${name} the number?`, 3_600));
    [ann, ben] = [await fundedClient('wallet seller', 50_000_000n), await fundedClient('wallet buyer', 50_000_000n)];
    await ann.setup();
    await ben.setup();
  });

  it('splits and merges, and sells what was split', async () => {
    const [{ id: marketId }] = markets as [Market, Market, Market];
    await (await ann.split(marketId, '10')).confirmed();
    await (await ann.merge(marketId, '1.5')).confirmed();
    expect(await unitsOf(ann)).toBe(41_500_000n);
    await ann.placeOrder({ marketId, side: 'sell', price: '0.6', size: '4' });
    const buying = await ben.placeOrder({ marketId, side: 'buy', price: '0.6', size: '4' });
    expect((await buying.settled()).settled).toHaveLength(1);
    expect([await unitsOf(ann), await unitsOf(ben)]).toEqual([43_900_000n, 47_600_000n]);
    expect(await ben.positions()).toMatchObject([{ marketId, yesShares: 4_000_000 }]);
  });

  it('sells what is not held in the other markets, which buys their other side', async () => {
    for (const { id: marketId } of markets.slice(1)) {
      await ann.placeOrder({ marketId, side: 'sell', price: '0.7', size: '5' });
      const buying = await ben.placeOrder({ marketId, side: 'buy', price: '0.7', size: '5' });
      expect((await buying.settled()).failed).toEqual([]);
    }
    expect([await unitsOf(ann), await unitsOf(ben)]).toEqual([40_900_000n, 40_600_000n]);
    expect(await ann.getPosition(markets[1]!.id, ann.address)).toMatchObject({ noShares: 5_000_000 });
  });
});
