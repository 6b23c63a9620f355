// The history of a wallet on several chains.
import type { PublicClient } from '@presage/sdk';
import { expect, it } from 'vitest';
import { readActivity } from '../src/portfolio/read-activity.ts';

it('names the chain of each trade and payout, whose explorer shows them', async () => {
  const reader = {
    getUserActivity: async (_address: string, { chain_id }: { chain_id: number }) => ({
      activity: [{ id: chain_id, marketId: `0x${chain_id}`, status: chain_id === 2 ? 'pending' : 'confirmed' }],
      settlements: [{ txHash: `0x${chain_id}` }],
    }),
  } as unknown as PublicClient;
  const { trades, payouts, unsettled } = await readActivity(reader, '0x', [1, 2], {});
  expect(trades).toMatchObject([
    { id: 1, chainId: 1 },
    { id: 2, chainId: 2 },
  ]);
  expect(payouts).toEqual([
    { txHash: '0x1', chainId: 1 },
    { txHash: '0x2', chainId: 2 },
  ]);
  expect([...unsettled]).toEqual(['0x2']);
});
