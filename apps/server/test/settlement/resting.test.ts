// Matches while nothing can be settled: they wait together, and are not each another attempt.
import type { TradeMatched } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { afterEach, expect, it } from 'vitest';
import type { Settlement } from '../../src/settlement/settlement.ts';
import { openSettlement, tradesOf } from './settlement-stand-in.ts';

const TRADES = 200;
let settlement: Settlement | undefined;
afterEach(() => settlement?.close());

it('are sent together once the chain can be reached again', async () => {
  const all = tradesOf(TRADES);
  const trades = new Map();
  let [asked, isAway] = [0, true];
  const sent: number[] = [];
  settlement = openSettlement({
    trades,
    sender: {
      ready: async () => undefined,
      enqueue: async () => ({ status: 'queued' }) as never,
      status: () => undefined,
      onChange: () => undefined,
    },
    preparation: {
      prepare: async () => {
        asked++;
        if (isAway) throw new Error('the chain is away');
        return new Set<string>();
      },
      invalidate: () => undefined,
    },
    onBatch: (batch) => sent.push(batch.trades.length),
  });
  settlement.start();
  for (const [tradeId, trade] of all) {
    trades.set(tradeId, trade);
    settlement.follow({ type: 'trade-matched', ...trade } as unknown as TradeMatched);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(settlement.queued).toBe(TRADES);
  // The first match, and one attempt for each half second that the others took.
  expect(asked).toBeLessThan(TRADES / 10);
  expect(settlement.trouble).toMatchObject({ reason: 'Error: the chain is away' });
  isAway = false;
  await waitFor('every trade is sent', () => sent.reduce((sum, count) => sum + count, 0) === TRADES);
  expect(sent.length).toBeLessThan(TRADES / 10);
});
