// What the journal adds up to: a chain that goes back takes its own facts with it, and nobody else's.
import { BUY, type JournalRecord, type MarketId, toPrice, toSize, YES, ZERO_ADDRESS } from '@presage/protocol';
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

it('keeps a failed trade, which a deep reorganization may settle and take back', () => {
  const ledger = new Ledger();
  const hash = (byte: string) => `0x${byte.repeat(32)}` as const;
  const head = { timeMs: 2, marketId: FIRST, tradeId: 'one' };
  const place = { transactionHash: hash('04'), batchIndex: 0, isBatch: false, attempt: 1 };
  const revived = (stage: 'confirmed' | 'failed') =>
    ({ ...head, type: 'trade-revived', stage, settlement: { ...place, minted: 3 } }) as const;
  const terms = { outcome: YES, price: toPrice(500_000), size: toSize(5), takerSide: BUY } as const;
  const orders = { makerHash: hash('01'), takerHash: hash('02'), maker: ZERO_ADDRESS, taker: ZERO_ADDRESS } as const;
  const stagesAfter = (record: JournalRecord) => {
    ledger.apply(record, 1);
    expect([...Ledger.restore(ledger.stateLines()).stateLines()]).toEqual([...ledger.stateLines()]);
    return [...ledger.trades()].map(({ stage }) => stage);
  };
  ledger.apply(listed(FIRST, 1), 1);
  expect(stagesAfter({ ...head, step: 2, type: 'trade-matched', ...terms, ...orders })).toEqual(['matched']);
  expect(stagesAfter({ ...head, step: 3, type: 'trade-failed', faultParty: 'seller', reason: 'no shares' })).toEqual(
    [],
  );
  expect(stagesAfter(revived('confirmed'))).toEqual(['confirmed']);
  expect(ledger.sums()).toMatchObject([{ trades: 1, collateral: 3n }]);
  expect(stagesAfter(revived('failed'))).toEqual([]);
});
