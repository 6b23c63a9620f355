// A batch that is followed to its end leaves nothing behind, whatever the engine has forgotten meanwhile.
import type { OperationView } from '@presage/chain';
import type { MarketId } from '@presage/protocol';
import { padHex } from 'viem';
import { expect, it } from 'vitest';
import { BatchFollower } from '../../src/settlement/batch-follower.ts';
import { createContext } from '../chain-context.ts';

const marketId = padHex('0x4d', { size: 32 }) as MarketId;
const trades = ['one', 'two', 'three'].map((tradeId) => ({ marketId, tradeId, attempt: 1 }));
const SUBMITTED: OperationView = {
  operationId: 'batch-1',
  stage: 'submitted',
  nonce: 7,
  hash: '0x01',
  hashes: ['0x01'],
  blockNumber: null,
  blockHash: null,
  reason: null,
  final: false,
};

it('says of each trade that the engine has forgotten that it is final, once', async () => {
  const context = createContext({
    reads: { trade: () => undefined },
    commands: { changeTrades: () => Promise.reject(new Error('there is nothing to change')) },
    rpc: { request: () => Promise.reject(new Error('nothing is asked')), batch: async () => [] },
  });
  const batch = new BatchFollower(
    context,
    { batchId: 'batch-1', trades },
    {
      behindUnmined: new Set(),
      deceptions: { append: () => Promise.reject(new Error('nobody deceives')) },
    },
  );
  const { final } = await batch.follow(SUBMITTED);
  expect(batch.isOver).toBe(true);
  const after = await batch.follow({ ...SUBMITTED, stage: 'confirmed', final: true });
  expect([...final, ...after.final]).toEqual(['one', 'two', 'three']);
});
