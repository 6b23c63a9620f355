// A rewind that is refused: by a settler that another one has followed, which must take nothing back, or by a journal, while the chain changes its mind again.
import { Engine } from '@presage/engine';
import type { JournalRecord, MarketFacts } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { MarketPauses } from '../../src/chains/market-pauses.ts';
import { TradingHalts } from '../../src/chains/trading-halts.ts';
import { Indexer } from '../../src/indexer/indexer.ts';
import { createContext } from '../chain-context.ts';
import { Branches, FACTORY, market } from './branches.ts';

const OTHER = `0x${'cc'.repeat(20)}` as const;

/** The chain has five blocks, the last of which creates a market that is not deep enough to be listed. */
async function openIndexer() {
  const chain = new Branches();
  chain.extend(0, 5, 5);
  const engine = new Engine();
  const noted: JournalRecord['type'][] = [];
  const changeResolutions = vi.fn(async () => undefined);
  const nothing = async () => undefined;
  const contracts = { settlement: OTHER, conditionalTokens: OTHER, marketFactory: FACTORY, oracle: OTHER };
  const context = createContext({
    chain: { chainId: 31337, fromBlock: 1, confirmations: 3, contracts },
    rpc: chain.rpc,
    reads: new ChainReads(engine, 31337),
    note: async ({ type }: JournalRecord) => void noted.push(type),
    commands: {
      changeResolutions,
      listMarket: async (listed: MarketFacts) =>
        void engine.apply({ type: 'list-market', timeMs: 1, market: { ...listed } }),
    },
    pollMs: 1,
    idleMs: () => 1,
  });
  const confirm = vi.fn(nothing);
  const indexer = new Indexer(context, {
    cursor: undefined,
    halts: new TradingHalts(),
    pauses: new MarketPauses(),
    journal: { saveCursor: nothing, noteHalt: nothing, notePause: nothing, confirm },
    onResumed: () => undefined,
    onTooDeep: (error) => expect.unreachable(error.message),
    onDeepReorg: () => undefined,
  });
  indexer.start();
  onTestFinished(() => indexer.close());
  const followed = () =>
    waitFor('the chain is followed', () => indexer.hashOf(chain.head) !== undefined, { timeoutMs: 10_000 });
  const refused = async () => {
    confirm.mockClear();
    confirm.mockRejectedValue(new Error('another settler has the chain'));
    await waitFor('a rewind was refused', () => confirm.mock.calls.length > 1, { timeoutMs: 10_000 });
  };
  await followed();
  return {
    chain,
    confirm,
    noted,
    changeResolutions,
    followed,
    refused,
    status: () => engine.market(market.marketId)?.status,
  };
}

it('voids nothing before it has asked whether the chain is still its own', async () => {
  const { chain, confirm, noted, changeResolutions, followed, refused } = await openIndexer();
  chain.reorganize(1, 1, 6);
  await refused();
  expect([noted, changeResolutions.mock.calls]).toEqual([[], []]);
  confirm.mockResolvedValue(undefined);
  await followed();
  expect(noted).toEqual(['chain-rewound']);
});

it('reads blocks again that were to be taken back, where they are on the chain after all', async () => {
  const { chain, confirm, followed, refused, status } = await openIndexer();
  chain.reorganize(1, 1, 6);
  await refused();
  chain.reorganize(2, 0, 8, 5);
  confirm.mockResolvedValue(undefined);
  await followed();
  expect(status()).toBe('open');
});
