// A client on a service with two chains signs for the chain of each market, from approval to redemption.

import { walletOf } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { createPublicClient, createSandboxClient, createTradingClient } from '../../src/index.ts';
import type { SdkPlace } from './sdk-sandbox.ts';

const SECOND = 31338;

export function testTwoChains(place: SdkPlace): void {
  describe('a trading client on two chains', () => {
    it('trades, splits, resolves and redeems on the second as on the first', async () => {
      const { url } = place.sandbox;
      const controls = createSandboxClient({ url });
      const reader = createPublicClient({ url });
      const [seller, buyer] = ['seller', 'buyer'].map((name) =>
        createTradingClient({ url, account: walletOf(`sdk two chains ${name}`) }),
      ) as [ReturnType<typeof createTradingClient>, ReturnType<typeof createTradingClient>];
      const markets = [
        await controls.createMarket({ question: 'Is it on the first?', expiresIn: 3_600 }),
        await controls.createMarket({ question: 'Is it on the second?', expiresIn: 3_600, chainId: SECOND }),
      ];
      for (const client of [seller, buyer]) {
        for (const { chainId } of markets) {
          await controls.fund(client.address, '100', { chainId });
          await client.setup({ chainId });
        }
      }
      for (const { id, chainId } of markets) {
        await (await seller.split(id, '10')).wait();
        const resting = await seller.placeOrder({ marketId: id, side: 'sell', price: '0.4', size: '10' });
        const taken = await buyer.placeOrder({ marketId: id, side: 'buy', price: '0.4', size: '10' });
        expect(taken.filledSize).toBe(10_000_000);
        await resting.waitForSettlement();
        expect(await buyer.balances({ chainId })).toMatchObject({ balance: '96000000' });
        expect(await buyer.positions({ chainId })).toMatchObject([{ marketId: id, yesShares: 10_000_000 }]);
      }
      await controls.advanceTime(3_700);
      for (const { id } of markets) await (await buyer.proposeResolution(id, 'YES')).wait();
      await controls.advanceTime(7_300);
      for (const { id } of markets) await (await buyer.settleMarket(id)).wait();
      const { marketIds, totalPayout, transactions } = await buyer.redeemAll();
      expect(marketIds.toSorted()).toEqual(markets.map(({ id }) => id).toSorted());
      expect(totalPayout).toBe(20_000_000n);
      for (const transaction of transactions) await transaction.wait();
      for (const { chainId } of markets) {
        expect(await reader.getBalances(buyer.address, { chain_id: chainId })).toMatchObject({ balance: '106000000' });
      }
    });
  });
}
