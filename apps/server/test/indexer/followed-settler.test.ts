// A settler that another one has followed and that has not noticed takes nothing back: the other has read on from blocks that this one never saw.
import { Engine } from '@presage/engine';
import type { JournalRecord } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { MarketPauses } from '../../src/chains/market-pauses.ts';
import { TradingHalts } from '../../src/chains/trading-halts.ts';
import { Indexer } from '../../src/indexer/indexer.ts';
import { createContext } from '../chain-context.ts';
import { Branches, FACTORY } from './branches.ts';

const OTHER = `0x${'cc'.repeat(20)}` as const;

it('asks whether the chain is still its own before it voids what blocks said', async () => {
  const chain = new Branches();
  chain.extend(0, 5);
  const noted: JournalRecord['type'][] = [];
  const contracts = { settlement: OTHER, conditionalTokens: OTHER, marketFactory: FACTORY, oracle: OTHER };
  const changeResolutions = vi.fn(async () => undefined);
  const context = createContext({
    chain: { chainId: 31337, fromBlock: 1, confirmations: 3, contracts },
    rpc: chain.rpc,
    reads: new ChainReads(new Engine(), 31337),
    note: async ({ type }: JournalRecord) => void noted.push(type),
    commands: { changeResolutions },
    pollMs: 1,
    idleMs: () => 1,
  });
  const nothing = async () => undefined;
  const confirm = vi.fn(() => Promise.reject(new Error('another settler has the chain')));
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
  await followed();
  chain.reorganize(1, 1, 6);
  await waitFor('it has asked', () => confirm.mock.calls.length > 1, { timeoutMs: 10_000 });
  expect([noted, changeResolutions.mock.calls]).toEqual([[], []]);
  confirm.mockImplementation(async () => undefined as never);
  await followed();
  expect(noted).toEqual(['chain-rewound']);
});
