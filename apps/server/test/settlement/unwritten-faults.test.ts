// Trades that fail for good while the journal cannot be written: none is forgotten, and none is failed twice.
import { fillCodes } from '@presage/contracts';
import type { TradeView } from '@presage/engine';
import { waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { TradeChange } from '../../src/host/host-commands.ts';
import type { Settlement } from '../../src/settlement/settlement.ts';
import { openSettlement, tradesOf } from './settlement-stand-in.ts';

let settlement: Settlement | undefined;
afterEach(() => settlement?.close());

const sender = {
  ready: async () => undefined,
  enqueue: () => Promise.reject(new Error('nothing is sent')),
  status: () => undefined,
  onChange: () => undefined,
};

/** The engine, behind a journal whose first write is reported as failed; it may have been written all the same. */
function openEngine(trades: Map<string, TradeView>, isWritten: boolean) {
  const calls: string[][] = [];
  const changeTrades = async (changes: readonly TradeChange[]) => {
    calls.push(changes.map(({ trade }) => trade.tradeId));
    const isFirst = calls.length === 1;
    if (!isFirst || isWritten) {
      for (const { trade } of changes) trades.set(trade.tradeId, { ...trades.get(trade.tradeId)!, stage: 'failed' });
    }
    if (isFirst) throw new Error('the journal cannot be written');
  };
  return { calls, changeTrades };
}

describe('a fault that the journal did not take', () => {
  it.each([
    ['is written later', false, 2],
    ['is not written again if it was written after all', true, 1],
  ])('%s', async (_, isWritten, writes) => {
    const trades = tradesOf(3);
    const { calls, changeTrades } = openEngine(trades, isWritten);
    settlement = openSettlement({ trades, sender, code: fillCodes.BUYER_CANCELLED, changeTrades });
    settlement.start();
    await waitFor('nothing waits', () => settlement?.queued === 0 && calls.length > 0);
    expect([...trades.values()].map(({ stage }) => stage)).toEqual(['failed', 'failed', 'failed']);
    expect(calls).toEqual(Array.from({ length: writes }, () => ['0', '1', '2']));
  });

  it('is not written by a settler whose chain another one has', async () => {
    const trades = tradesOf(3);
    const asked: number[] = [];
    const changeTrades = () => Promise.reject(new Error('somebody is blamed'));
    const confirm = async () => {
      asked.push(asked.length);
      throw new Error('another settler has the chain');
    };
    settlement = openSettlement({ trades, sender, code: fillCodes.BUYER_CANCELLED, changeTrades, confirm });
    settlement.start();
    await waitFor('it has asked twice', () => asked.length > 1);
    expect(settlement.queued).toBe(3);
    expect(settlement.trouble.reason).toContain('another settler');
  });
});
