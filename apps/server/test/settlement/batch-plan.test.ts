// The causal rule as a table: what may travel together, and what must wait.
import type { TradeView } from '@presage/engine';
import { describe, expect, it } from 'vitest';
import { chooseFills, fitsInFlight, planBatch, withinBytes } from '../../src/settlement/batch-plan.ts';
import type { PlannedFill } from '../../src/settlement/ports.ts';
import { pathTo } from '../../src/settlement/trade-path.ts';
import { WaitingTrades } from '../../src/settlement/waiting-trades.ts';

/** `1:alice>bob` is trade 1, in which alice buys from bob. */
function trade(text: string): TradeView {
  const [, tradeId, buyer, seller] = /^(\d+):(\w+)>(\w+)$/.exec(text) as RegExpExecArray;
  return { tradeId, buyer, seller, marketId: '0x01' } as unknown as TradeView;
}

const plan = (waiting: string[], busy: string[] = [], limit = 100): string =>
  planBatch({ waiting: waiting.map(trade), held: new Set(busy), unmined: new Set(), uncertain: new Set(), limit })
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

describe('a trade of a wallet that has deceived', () => {
  const planWith = (waiting: string[], suspect: string) =>
    planBatch({
      waiting: waiting.map(trade),
      held: new Set(),
      unmined: new Set(),
      uncertain: new Set(),
      isSuspect: ({ buyer, seller }) => buyer === suspect || seller === suspect,
      limit: 100,
    })
      .map(({ tradeId }) => tradeId)
      .join(' ');

  it('waits for all others, and makes later trades of its counterparty wait too', () => {
    expect(planWith(['1:mallory>bob', '2:alice>carol', '3:bob>dave', '4:erin>frank'], 'mallory')).toBe('2 4');
  });

  it('goes alone', () => {
    expect(planWith(['1:mallory>bob', '2:alice>mallory', '3:bob>dave'], 'mallory')).toBe('1');
  });
});

describe('a trade of a paused market', () => {
  const planWith = (waiting: string[], { paused, uncertain }: Record<'paused' | 'uncertain', string[]>, limit = 100) =>
    planBatch({
      waiting: waiting.map(trade),
      held: new Set(),
      unmined: new Set(['alice', 'bob']),
      uncertain: new Set(uncertain),
      paused: new Set(paused),
      limit,
    })
      .map(({ tradeId }) => tradeId)
      .join(' ');

  it('takes no place in a batch, and does not stop what its traders do elsewhere', () => {
    const waiting = ['1:alice>bob', '2:alice>bob', '3:alice>carol', '4:erin>frank'];
    expect(planWith(waiting, { paused: ['1', '2'], uncertain: [] }, 2)).toBe('3 4');
  });

  it('keeps those back that may have failed for the lack of it', () => {
    const waiting = ['1:alice>bob', '2:alice>carol', '3:erin>frank'];
    expect(planWith(waiting, { paused: ['1'], uncertain: ['2'] })).toBe('3');
  });
});

describe('choosing some fills of a batch to go first', () => {
  const choose = (fills: string[], wanted: string) =>
    chooseFills(
      fills.map((text) => ({ trade: trade(text) }) as PlannedFill),
      ({ trade: { tradeId } }) => wanted.includes(tradeId),
    )
      .map(({ trade: { tradeId } }) => tradeId)
      .join(' ');

  it('takes all that are wanted where they share no wallet with the others', () => {
    expect(choose(['1:alice>bob', '2:carol>dave', '3:erin>frank'], '1 3')).toBe('1 3');
  });

  it('leaves out what comes after one that is left, by either wallet, and what comes after that', () => {
    expect(choose(['1:alice>bob', '2:carol>bob', '3:bob>dave', '4:dave>erin', '5:alice>x'], '1 3 4 5')).toBe('1 5');
  });
});

/** Wallets with a fill that is not mined, and trades that failed behind one. */
const pipeline = (waiting: string[], { unmined = [] as string[], uncertain = [] as string[], held = [] as string[] }) =>
  planBatch({
    waiting: waiting.map(trade),
    held: new Set(held),
    unmined: new Set(unmined),
    uncertain: new Set(uncertain),
    limit: 100,
  })
    .map(({ tradeId }) => tradeId)
    .join(' ');

describe('planning a batch behind others', () => {
  const maker = ['1:ann>maker', '2:ben>maker', '3:cas>maker', '4:erin>frank'];

  it.each([
    ['a wallet whose last fill is not mined goes on at once', { unmined: ['maker'] }, '1 2 3 4'],
    [
      'a trade that failed behind an unmined fill waits, and its wallets with it',
      { unmined: ['maker'], uncertain: ['1'] },
      '4',
    ],
    ['only what comes after a uncertain trade waits for it', { unmined: ['maker'], uncertain: ['2'] }, '1 4'],
    ['a uncertain trade goes when all before it is mined', { unmined: ['erin'], uncertain: ['1'] }, '1 2 3 4'],
    ['a wallet with a fill that waits for its judgement holds all its trades back', { held: ['ben'] }, '1 4'],
  ])('%s', (_, state, expected) => {
    expect(pipeline(maker, state)).toBe(expected);
  });

  it('reads no more trades than fit', () => {
    let read = 0;
    function* endless() {
      for (;;) yield trade(`${++read}:ann>ben`);
    }
    const none = new Set<string>();
    planBatch({ waiting: endless(), held: none, unmined: none, uncertain: none, limit: 5 });
    expect(read).toBe(5);
  });
});

describe('the bytes of a batch', () => {
  const fill = (bytes: number) => {
    const order = { signed: { signature: `0x${'ab'.repeat(bytes)}` } };
    return { buy: order, sell: order } as unknown as Parameters<typeof withinBytes>[0][number];
  };

  it('hold a hundred fills of keys, fewer of wallets with long signatures, and always one', () => {
    expect(withinBytes(Array.from({ length: 100 }, () => fill(65)))).toHaveLength(100);
    expect(withinBytes(Array.from({ length: 100 }, () => fill(8_193)))).toHaveLength(6);
    expect(withinBytes([fill(80_000), fill(65)])).toHaveLength(1);
  });
});

describe('whether another batch fits', () => {
  const limits = { maxBatches: 3, maxGas: 100n };
  const flying = (...gas: bigint[]) => gas.map((each) => ({ gas: each }));

  it.each([
    ['the first batch goes, however much gas it takes', [], 500n, true],
    ['batches go while their gas fits', [40n], 60n, true],
    ['the batch that no longer fits waits', [40n], 61n, false],
    ['no more than the setting allows are in flight', [1n, 1n, 1n], 1n, false],
  ] as const)('%s', (_, gas, next, expected) => {
    expect(fitsInFlight(flying(...gas), next, limits)).toBe(expected);
  });
});

describe('the way of a trade through its stages', () => {
  it('adds the moves that a crash left unrecorded', () => {
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
    const order = [...waiting.inOrder(({ tradeId }) => trade(`${tradeId}:x>y`))].map(({ tradeId }) => tradeId);
    expect(order).toEqual(['1', '2', '3', '4']);
  });

  it('drop what the engine has removed', () => {
    const waiting = new WaitingTrades();
    waiting.add(trade('1:a>b'));
    expect([...waiting.inOrder(() => undefined)]).toEqual([]);
    expect(waiting.size).toBe(0);
  });
});
