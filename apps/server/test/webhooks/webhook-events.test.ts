// Which records become events of which topic.
import type { MarketResolution, RecordOf, ResolutionStatus } from '@presage/protocol';
import { TEST_MARKET } from '@presage/testkit';
import { expect, it } from 'vitest';
import { toEventData } from '../../src/webhooks/webhook-events.ts';

function changed(status: ResolutionStatus): RecordOf<'resolution-changed'> {
  const resolution: MarketResolution = { status, round: 1, history: [] };
  return { type: 'resolution-changed', timeMs: 1, marketId: TEST_MARKET, step: 1, resolution };
}

it.each(['resolved', 'void'] as const)('tells of a market that is %s', (status) => {
  expect(toEventData('market_resolved', changed(status))).toMatchObject({ marketId: TEST_MARKET, status });
});

it.each(['expired', 'proposed', 'disputed'] as const)('does not tell of a market that is %s', (status) => {
  expect(toEventData('market_resolved', changed(status))).toBeUndefined();
});

it('tells of a failed trade that a deep reorganization settled, and not of one that left the chain again', () => {
  const settlement = {
    transactionHash: TEST_MARKET,
    blockNumber: 5,
    batchIndex: 0,
    isBatch: true,
    attempt: 1,
  } as const;
  const revived = { type: 'trade-revived', timeMs: 1, marketId: TEST_MARKET, tradeId: '7', settlement } as const;
  const { transactionHash: txHash } = settlement;
  expect(toEventData('trade_settled', { ...revived, stage: 'confirmed' })).toMatchObject({ tradeId: '7', txHash });
  expect(toEventData('trade_settled', { ...revived, stage: 'failed' })).toBeUndefined();
});
