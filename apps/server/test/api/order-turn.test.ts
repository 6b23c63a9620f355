// What becomes of the turn of an order while somebody else is asked for an answer.
import { LIMITS } from '@presage/protocol';
import { beforeEach, expect, it, vi } from 'vitest';
import { toOrderTurn } from '../../src/api/load-shedding.ts';
import { OrderGate } from '../../src/api/order-gate.ts';
import type { OrderTurn } from '../../src/host/ports.ts';

const NEVER = new Promise<void>(() => undefined);
let gate: OrderGate;
let turn: OrderTurn;

beforeEach(() => {
  gate = new OrderGate();
  turn = enter('a').turn;
});

function enter(caller: string) {
  const own = gate.enter(caller, 1, performance.now(), () => undefined);
  return { own, turn: toOrderTurn(gate, own) };
}

/** The caller waits for as many answers as it may. */
function fill(): void {
  for (let count = 0; count < LIMITS.ordersOut / 4; count++) void turn.whileOut(NEVER);
}

it('an answer from outside is waited for, and reserves what it reserves', async () => {
  const giveBack = vi.fn();
  expect(await turn.whileOut(Promise.resolve(1), giveBack)).toBe(1);
  await expect(turn.whileOut(Promise.reject(new Error('away')), giveBack)).rejects.toThrow('away');
  expect(giveBack).not.toHaveBeenCalled();
});

it('an order is refused where too many wait, and what its answer then reserves is given back', async () => {
  const giveBack = vi.fn();
  let come: () => void = () => undefined;
  const answer = new Promise<void>((resolve) => {
    come = resolve;
  });
  fill();
  await expect(turn.whileOut(answer, giveBack)).rejects.toMatchObject({ code: 'overloaded' });
  expect(giveBack).not.toHaveBeenCalled();
  come();
  await answer;
  expect(giveBack).toHaveBeenCalledOnce();
  await expect(turn.whileOut(Promise.reject(new Error('away')), giveBack)).rejects.toMatchObject({
    code: 'overloaded',
  });
  expect(giveBack).toHaveBeenCalledOnce();
});

it('another node has some time to answer before others have the turn', async () => {
  const busy = Array.from({ length: LIMITS.ordersUnderWay - 1 }, () => enter('a'));
  const { own } = enter('b');
  expect(await turn.whileLate(Promise.resolve('soon'))).toBe('soon');
  expect(own.state).toBe('waiting');
  void turn.whileLate(NEVER);
  await vi.waitFor(() => expect(own.state).toBe('under way'));
  expect(busy.every(({ own: { state } }) => state === 'under way')).toBe(true);
});

it('an order at another node keeps its turn where too many wait', async () => {
  fill();
  const answer = new Promise((resolve) => setTimeout(() => resolve('late'), 300));
  expect(await turn.whileLate(answer)).toBe('late');
});
