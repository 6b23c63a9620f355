// What is answered of a relayed transaction: one that is confirmed can be read in positions, resolutions and orders.
import type { OperationView } from '@presage/chain';
import type { RelayerOperation } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import type { RelayRecord } from '../../src/relayer/ports.ts';
import { RelayerService, type RelayerServiceOptions } from '../../src/relayer/relayer-service.ts';
import { createContext } from '../chain-context.ts';

const HASH = `0x${'22'.repeat(32)}` as const;
const OWNER = `0x${'aa'.repeat(20)}` as const;
const BLOCK = 9;

/** A service whose indexer has followed the chain up to a block. */
function openService(operation: RelayerOperation, followedBlock: number, writeClaims = async () => {}) {
  const record = { operationId: 'op#1', operation, owner: OWNER } as RelayRecord;
  const view = { stage: 'confirmed', hash: HASH, blockNumber: BLOCK, reason: null } as OperationView;
  return new RelayerService(createContext({}), {
    book: { byHash: () => record },
    sender: { status: () => view },
    claims: { follow: writeClaims },
    hasFollowed: async (blockNumber: number) => blockNumber <= followedBlock,
  } as unknown as RelayerServiceOptions);
}

describe('a relayed transaction in a confirmed block', () => {
  it.each(['split', 'ctf-conversion', 'settle-market', 'cancel-order'] as const)(
    '(%s) is confirmed once the block was followed',
    async (operation) => {
      const before = await openService(operation, BLOCK - 1).transaction(HASH);
      expect(before).toMatchObject({ stage: 'mined', status: 'pending', blockNumber: BLOCK });
      const after = await openService(operation, BLOCK).transaction(HASH);
      expect(after).toMatchObject({ stage: 'confirmed', status: 'confirmed' });
    },
  );

  it.each(['stablecoin-permit', 'ctf-approval', 'deposit'] as const)(
    '(%s) is confirmed at once if its effect is read from the chain',
    async (operation) => {
      expect(await openService(operation, 0).transaction(HASH)).toMatchObject({ status: 'confirmed' });
    },
  );

  it('is not confirmed before its claims are written', async () => {
    const told: string[] = [];
    const service = openService('ctf-redemption', BLOCK, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      told.push('claims');
    });
    const { stage } = { ...(await service.transaction(HASH)) };
    expect([...told, stage]).toEqual(['claims', 'confirmed']);
    const refused = openService('ctf-redemption', BLOCK, () => Promise.reject(new Error('journal_unavailable')));
    expect(await refused.transaction(HASH)).toMatchObject({ stage: 'mined', status: 'pending' });
  });
});
