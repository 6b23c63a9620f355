// Whether every share is backed: what the service knows of against what the chain holds.
import { walletOf } from '@presage/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

interface SolvencyBody {
  readonly chains: readonly { collateral: number | null; locked: number; drift: number | null; bonds: number | null }[];
  readonly markets: readonly { marketId: string; yesShares: number; noShares: number; locked: number }[];
}

let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open();
});
afterAll(() => exchange?.close());

const solvency = () => exchange.client.read<SolvencyBody>('/api/v1/solvency');

it('says that nothing is locked before the first trade', async () => {
  expect(await solvency()).toMatchObject({
    chains: [{ chain_id: 31_337, markets: 0, locked: 0, collateral: 0, drift: 0, bonds: 0, unsettled_trades: 0 }],
    markets: [],
  });
});

it('has one unit of stablecoin on chain for each pair of shares, when all is settled', async () => {
  const [busy, quiet] = [await exchange.newMarket('Is it backed?'), await exchange.newMarket('Is this backed too?')];
  for (const [market, size] of [
    [busy, '7'],
    [quiet, '3'],
  ] as const) {
    await exchange.client.order(walletOf('minting seller'), { market: market.id, side: 'sell', price: '0.60', size });
    await exchange.client.order(walletOf('buyer'), { market: market.id, side: 'buy', price: '0.60', size });
  }
  await exchange.settled();
  const { chains, markets } = await solvency();
  expect(chains).toMatchObject([{ markets: 2, locked: 10_000_000, collateral: 10_000_000, drift: 0, bonds: 0 }]);
  expect(markets).toEqual([
    { marketId: busy.id, yesShares: 7_000_000, noShares: 7_000_000, locked: 7_000_000 },
    { marketId: quiet.id, yesShares: 3_000_000, noShares: 3_000_000, locked: 3_000_000 },
  ]);
  expect((await exchange.client.read<SolvencyBody>('/api/v1/solvency?limit=1')).markets).toHaveLength(1);
  expect(await exchange.client.read('/api/v1/solvency?chain_id=5')).toEqual({ chains: [], markets: [] });
});

it('says what it cannot know while the chain is unreachable', async () => {
  await exchange.client.post('/sandbox/faults', { chain: 'down' });
  expect(await solvency()).toMatchObject({
    chains: [{ locked: 10_000_000, collateral: null, drift: null, bonds: null }],
  });
  await exchange.client.post('/sandbox/faults', { chain: 'up' });
});
