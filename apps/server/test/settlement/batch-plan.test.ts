// The causal rule as a table: what may travel together, and what must wait.
import type { TradeView } from '@presage/engine';
import { describe, expect, it } from 'vitest';
import { planBatch } from '../../src/settlement/batch-plan.ts';
import { pathTo } from '../../src/settlement/trade-path.ts';
import { WaitingTrades } from '../../src/settlement/waiting-trades.ts';

/** `1:alice>bob` is trade 1, in which alice buys from bob. */
function trade(text: string): TradeView {
  const [, tradeId, buyer, seller] = /^(\d+):(\w+)>(\w+)$/.exec(text) as RegExpExecArray;
  return { tradeId, buyer, seller, marketId: '0x01' } as unknown as TradeView;
}

const plan = (waiting: string[], busy: string[] = [], limit = 100): string =>
  planBatch({ waiting: waiting.map(trade), busy: new Set(busy), limit })
    .map(({ tradeId }) => tradeId)
    .join(' ');

describe('planning a batch', () => {
  it('takes trades of the same wallets together, in the order they were matched', () => {
    expect(plan(['1:alice>bob', '2:carol>alice', '3:bob>carol'])).toBe('1 2 3');
  });

  it('leaves out a trade of a wallet that has a fill on its way, and everything after it that shares a wallet', () => {
    expect(plan(['1:alice>bob', '2:bob>carol', '3:carol>dave', '4:erin>frank'], ['alice'])).toBe('4');
  });

  it('takes what is independent of a trade that must wait', () => {
    expect(plan(['1:alice>bob', '2:erin>frank', '3:bob>erin'], ['alice'])).toBe('2');
  });

  it('stops at its limit', () => {
    expect(plan(['1:alice>bob', '2:alice>bob', '3:alice>bob'], [], 2)).toBe('1 2');
  });
});

describe('the way of a trade through its stages', () => {
  it('makes up for moves that a crash left untold', () => {
    expect(pathTo('matched', 'confirmed')).toEqual(['submitted', 'mined', 'confirmed']);
    expect(pathTo('retrying', 'mined')).toEqual(['submitted', 'mined']);
    expect(pathTo('confirmed', 'submitted')).toEqual(['retrying', 'submitted']);
    expect(pathTo('mined', 'mined')).toEqual([]);
    expect(pathTo('failed', 'mined')).toEqual([]);
  });
});

describe('waiting trades', () => {
  it('keep the order of first arrival, however often they come back', () => {
    const waiting = new WaitingTrades();
    for (const text of ['1:a>b', '2:c>d', '3:e>f']) waiting.add(trade(text));
    waiting.take('1');
    waiting.take('2');
    waiting.add(trade('4:g>h'));
    waiting.add(trade('2:c>d'));
    waiting.add(trade('1:a>b'));
    const order = waiting.inOrder(({ tradeId }) => trade(`${tradeId}:x>y`)).map(({ tradeId }) => tradeId);
    expect(order).toEqual(['1', '2', '3', '4']);
  });

  it('drop what the engine has forgotten', () => {
    const waiting = new WaitingTrades();
    waiting.add(trade('1:a>b'));
    expect(waiting.inOrder(() => undefined)).toEqual([]);
    expect(waiting.size).toBe(0);
  });
});
