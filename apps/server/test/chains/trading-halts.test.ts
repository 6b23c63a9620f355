// Halts and resumptions of traders, in the order of the chain, undone by reorganizations and restored from what was written down.
import type { Address, HaltNote } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { TradingHalts } from '../../src/chains/trading-halts.ts';

const alice = `0x${'a1'.repeat(20)}` as Address;
const bob = `0x${'b0'.repeat(20)}` as Address;

function halts(...notes: readonly HaltNote[]): TradingHalts {
  const state = new TradingHalts();
  for (const note of notes) state.apply(note);
  return state;
}

function changed(trader: Address, blockNumber: number, effectiveAfter: number | null): HaltNote {
  return { kind: 'changed', trader, blockNumber, effectiveAfter };
}

function rewound(toBlock: number): HaltNote {
  return { kind: 'rewound', toBlock };
}

describe('a halt', () => {
  it('holds for its trader until they resume', () => {
    const state = halts(changed(alice, 10, 400));
    expect(state.effectiveAfter(alice)).toBe(400);
    expect(state.effectiveAfter(bob)).toBeUndefined();
    state.apply(changed(alice, 12, null));
    expect(state.effectiveAfter(alice)).toBeUndefined();
    state.apply(changed(alice, 13, 500));
    expect(state.effectiveAfter(alice)).toBe(500);
  });

  it('leaves with its block, and what was before it comes back', () => {
    const state = halts(changed(alice, 10, 400), changed(alice, 12, null), changed(bob, 12, 410));
    expect([state.isAbove(11), state.isAbove(12)]).toEqual([true, false]);
    state.apply(rewound(11));
    expect([state.effectiveAfter(alice), state.effectiveAfter(bob)]).toEqual([400, undefined]);
    state.apply(rewound(9));
    expect(state.effectiveAfter(alice)).toBeUndefined();
    expect(state.notes()).toEqual([]);
  });

  it('is the same after its block is delivered twice, and after everything is restored', () => {
    const once = halts(changed(alice, 10, 400), changed(bob, 10, 400), changed(bob, 11, null));
    const twice = halts(
      changed(alice, 10, 400),
      changed(alice, 10, 400),
      changed(bob, 10, 400),
      changed(bob, 11, null),
    );
    expect(twice.notes()).toEqual(once.notes());
    expect(halts(...once.notes()).notes()).toEqual(once.notes());
  });

  it('costs no more however often a trader halts and resumes', () => {
    const state = new TradingHalts();
    for (let block = 1; block <= 10_000; block++)
      state.apply(changed(alice, block, block % 2 === 0 ? null : block + 300));
    expect(state.notes().length).toBeLessThan(200);
    state.apply(rewound(9_999));
    expect(state.effectiveAfter(alice)).toBe(10_299);
  });
});
