// The backing of shares: chain and view are compared as of one block, and trades on their way are counted as such.
import type { TradeView } from '@presage/engine';
import { describe, expect, it } from 'vitest';
import { readBacking } from '../../src/api/backing.ts';

const CONTRACTS = { conditionalTokens: `0x${'c1'.repeat(20)}`, oracle: `0x${'02'.repeat(20)}` } as const;

/** Holds 10 until block 7, where 4 are redeemed. */
function openChain({ followedBlock = 7 as number | undefined, trades = [] as Partial<TradeView>[] } = {}) {
  const state = { followedBlock, trades, isReachable: true };
  const chain = {
    config: { contracts: CONTRACTS },
    reads: { unsettledTrades: () => state.trades as TradeView[] },
    wallets: {
      reads: {
        head: async () => {
          if (!state.isReachable) throw new Error('no answer');
          return 7;
        },
        stablecoinOf: async (_: readonly string[], block: number) => [block < 7 ? 10n : 6n, 1n],
      },
    },
    actor: {
      indexer: {
        get followedBlock() {
          return state.followedBlock;
        },
        hasFollowed: async (block: number) => (state.followedBlock ?? 0) >= block,
        wake: () => undefined,
      },
    },
  };
  return { state, read: () => readBacking(chain, 1) };
}

describe('the backing of shares', () => {
  it('is current while the indexer stays at the block that was read', async () => {
    const { state, read } = openChain();
    const backing = await read();
    expect(backing).toMatchObject({ block: 7, collateral: 6n, bonds: 1n });
    expect(backing.isCurrent()).toBe(true);
    state.followedBlock = 8;
    expect(backing.isCurrent()).toBe(false);
  });

  it('is read as of the block that is followed, and is not current, while a redemption is not indexed', async () => {
    const backing = await openChain({ followedBlock: 6 }).read();
    expect(backing).toMatchObject({ block: 6, collateral: 10n });
    expect(backing.isCurrent()).toBe(false);
  });

  it('counts trades that wait, that were sent, and that are in a later block', async () => {
    const { state, read } = openChain({ trades: [{ stage: 'matched' }, { stage: 'submitted' }] });
    const backing = await read();
    expect(backing.unsettledTrades()).toBe(2);
    const mined = (blockNumber: number) => ({ stage: 'mined', settlement: { blockNumber } }) as TradeView;
    state.trades = [7, 8, 8, 8].map(mined);
    expect(backing.unsettledTrades()).toBe(3);
    state.trades = [];
    expect(backing.unsettledTrades()).toBe(2);
  });

  it('is not known while the chain is unreachable', async () => {
    const { state, read } = openChain();
    state.isReachable = false;
    const backing = await read();
    expect(backing).toMatchObject({ block: 7, collateral: null, bonds: null });
    expect(backing.isCurrent()).toBe(false);
  });
});
