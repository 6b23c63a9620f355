// What the journal adds up to: a chain that goes back takes its own facts with it, and nobody else's.
import { type JournalRecord, type MarketId, ZERO_ADDRESS } from '@presage/protocol';
import { marketFacts } from '@presage/testkit';
import { expect, it } from 'vitest';
import { Ledger } from '../../src/verify/checks/ledger.ts';

const [FIRST, SECOND] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`] as [MarketId, MarketId];

function listed(marketId: MarketId, chainId: number): JournalRecord {
  return { type: 'market-listed', timeMs: 1, step: 1, marketId, market: marketFacts({ marketId, chainId }) };
}

function split(marketId: MarketId, blockNumber: number): JournalRecord {
  const hash = `0x${String(blockNumber).padStart(64, '0')}` as const;
  return {
    type: 'shares-moved',
    cause: 'split',
    timeMs: 2,
    marketId,
    userAddress: ZERO_ADDRESS,
    txHash: hash,
    logIndex: 0,
    blockNumber,
    blockHash: hash,
    timestamp: 1,
    yesShares: '5',
    noShares: '5',
  };
}

it('takes back, on a reorganization, only what is above the block and of that chain', () => {
  const ledger = new Ledger();
  const records = [listed(FIRST, 1), listed(SECOND, 2), split(FIRST, 10), split(FIRST, 11), split(SECOND, 30)];
  for (const [index, record] of records.entries()) ledger.apply(record, index + 1);
  ledger.apply({ type: 'chain-rewound', timeMs: 3, chainId: 1, toBlock: 10, cause: 'reorg' }, 6);
  expect(ledger.sums().map(({ collateral }) => collateral)).toEqual([5n, 5n]);
  const again = Ledger.restore(ledger.stateLines());
  expect(again.sums()).toEqual(ledger.sums());
  expect([...again.stateLines()]).toEqual([...ledger.stateLines()]);
});
