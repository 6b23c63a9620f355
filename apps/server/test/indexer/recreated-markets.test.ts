// A market whose creation a deep reorganization dropped stays open where it is created again, and closes where it is not.
import { Engine } from '@presage/engine';
import type { MarketFacts, MarketId } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { MarketPauses } from '../../src/chains/market-pauses.ts';
import { TradingHalts } from '../../src/chains/trading-halts.ts';
import { Indexer } from '../../src/indexer/indexer.ts';
import { createContext } from '../chain-context.ts';
import { Branches, FACTORY, market } from './branches.ts';

const CONFIRMATIONS = 3;
const OTHER = `0x${'cc'.repeat(20)}` as const;

/** The market is created in block 5 and listed. */
async function openListed() {
  const chain = new Branches();
  const engine = new Engine();
  const contracts = { settlement: OTHER, conditionalTokens: OTHER, marketFactory: FACTORY, oracle: OTHER };
  const nothing = async () => undefined;
  const context = createContext({
    chain: { chainId: 31337, fromBlock: 1, confirmations: CONFIRMATIONS, contracts },
    rpc: chain.rpc,
    reads: new ChainReads(engine, 31337),
    note: nothing,
    commands: {
      listMarket: async (listed: MarketFacts) =>
        void engine.apply({ type: 'list-market', timeMs: 1, market: { ...listed } }),
      closeVanished: async (marketId: MarketId) =>
        void engine.apply({ type: 'close-market', timeMs: 1, marketId, reason: 'vanished' }),
      changeResolutions: nothing,
    },
    pollMs: 1,
    idleMs: () => 1,
  });
  const indexer = new Indexer(context, {
    cursor: undefined,
    halts: new TradingHalts(),
    pauses: new MarketPauses(),
    journal: { saveCursor: nothing, noteHalt: nothing, notePause: nothing, confirm: nothing },
    onResumed: () => undefined,
    onTooDeep: (error) => expect.unreachable(error.message),
    onDeepReorg: () => undefined,
  });
  chain.extend(0, 7, 5);
  indexer.start();
  onTestFinished(() => indexer.close());
  const followed = () =>
    waitFor('the chain is followed', () => indexer.hashOf(chain.head) !== undefined, { timeoutMs: 10_000 });
  const status = () => engine.market(market.marketId)?.status;
  await followed();
  expect(status()).toBe('open');
  /** A deep reorganization drops the creation; the market is created again in a later block, and the chain goes on. */
  const createAgain = async (createdAt: number) => {
    for (let head = 8; head <= 12; head++) {
      if (head === 8) chain.reorganize(4, 1, head, createdAt);
      else chain.extend(1, head);
      await followed();
    }
    expect(status()).toBe('open');
  };
  return { chain, followed, status, createAgain };
}

describe('a market whose creation left the chain', () => {
  it.each([5, 6, 8])('stays open where it is created again in block %i', async (createdAt) => {
    const { createAgain } = await openListed();
    await createAgain(createdAt);
  });

  it('closes where it is not created again', async () => {
    const { chain, followed, status } = await openListed();
    chain.reorganize(4, 1, 8);
    await followed();
    expect(status()).toBe('closed');
  });

  it.each([
    ['stays open where a second deep reorganization leaves its second creation', 4, 8, 'open'],
    ['closes where a second deep reorganization drops its second creation', 8, 5, 'closed'],
  ])('%s', async (_, createdAt, dropped, expected) => {
    const { chain, followed, status, createAgain } = await openListed();
    await createAgain(createdAt);
    chain.reorganize(dropped, 2, 13);
    await followed();
    chain.extend(2, 20);
    await followed();
    expect(status()).toBe(expected);
  });

  it('closes where its second creation leaves the chain, too', async () => {
    const { chain, followed, status } = await openListed();
    chain.reorganize(4, 1, 8, 8);
    await followed();
    expect(status()).toBe('open');
    chain.reorganize(1, 2, 9);
    await followed();
    expect(status()).toBe('closed');
  });
});
