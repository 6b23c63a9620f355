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
