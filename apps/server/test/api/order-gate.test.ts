// Which orders are refused when more come than can be answered in time.
import { LIMITS } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { OrderGate } from '../../src/api/order-gate.ts';

const LOOK_MS = 250;
const late = LIMITS.orderWaitMs + 1;

/** A second in which nothing is answered in time: `count` orders of the caller stay under way. */
function overload(gate: OrderGate, caller: string, count: number): void {
  for (let order = 0; order < count; order++) expect(gate.enter(caller, 1)).toBe(true);
  for (let look = 0; look < 4; look++) gate.look(LOOK_MS);
}

function enterUntilRefused(gate: OrderGate, caller: string): number {
  let entered = 0;
  while (entered < 10_000 && gate.enter(caller, 1)) entered++;
  return entered;
}

describe('the gate for new orders', () => {
  it('lets every order of a burst in while answers come in time', () => {
    const gate = new OrderGate();
    for (let look = 0; look < 10; look++) {
      expect(enterUntilRefused(gate, 'a')).toBe(10_000);
      for (let order = 0; order < 10_000; order++) gate.leave('a', 1, order < 9_000 ? late : 10);
      gate.look(LOOK_MS);
    }
  });

  it('refuses nothing for answers that are late for less than a second', () => {
    const gate = new OrderGate();
    for (let order = 0; order < 1_000; order++) gate.enter('a', 1);
    for (let look = 0; look < 3; look++) gate.look(LOOK_MS);
    expect(enterUntilRefused(gate, 'a')).toBe(10_000);
  });

  it('lets in no more than is answered within the wait once answers have been late for a second', () => {
    const gate = new OrderGate();
    const answeredInTime = (800 / LOOK_MS) * LIMITS.orderWaitMs;
    for (let order = 0; order < 3_200 + answeredInTime; order++) gate.enter('a', 1);
    for (let look = 0; look < 4; look++) {
      for (let order = 0; order < 800; order++) gate.leave('a', 1, late);
      gate.look(LOOK_MS);
    }
    expect(gate.enter('a', 1)).toBe(false);
    gate.leave('a', 1, late);
    expect(enterUntilRefused(gate, 'a')).toBe(1);
  });

  it('always lets in as many as may wait on the slowest machine', () => {
    const gate = new OrderGate();
    overload(gate, 'a', 1);
    expect(enterUntilRefused(gate, 'a')).toBe(LIMITS.ordersWaiting - 1);
  });

  it('lets a caller with less than their share in while another floods', () => {
    const gate = new OrderGate();
    overload(gate, 'flood', 1_000);
    expect(gate.enter('flood', 1)).toBe(false);
    expect(enterUntilRefused(gate, 'good')).toBe(LIMITS.ordersWaiting / 2);
    expect(gate.enter('another', 1)).toBe(true);
  });

  it('counts a batch by its length and forgets it with its answer', () => {
    const gate = new OrderGate();
    overload(gate, 'a', LIMITS.ordersWaiting - 1);
    expect(gate.enter('a', 40)).toBe(true);
    expect(gate.enter('a', 1)).toBe(false);
    gate.leave('a', 40);
    expect(gate.enter('a', 1)).toBe(true);
  });

  it('is open again after a look at which nobody was refused', () => {
    const gate = new OrderGate();
    overload(gate, 'a', 500);
    expect(gate.enter('a', 1)).toBe(false);
    for (let order = 0; order < 500; order++) gate.leave('a', 1, late);
    gate.look(LOOK_MS);
    gate.look(LOOK_MS);
    expect(enterUntilRefused(gate, 'a')).toBe(10_000);
  });

  it('takes refused orders, which are quick, for no sign that others are answered in time', () => {
    const gate = new OrderGate();
    for (let order = 0; order < 500; order++) gate.enter('a', 1);
    for (let look = 0; look < 4; look++) {
      for (let order = 0; order < 50; order++) {
        gate.enter('b', 1);
        gate.leave('b', 1);
      }
      gate.look(LOOK_MS);
    }
    expect(gate.enter('a', 1)).toBe(false);
  });
});
