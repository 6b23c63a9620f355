// What an order has reserved by a late answer is given back where the order was refused for want of room.
import { expect, it, vi } from 'vitest';
import { whileOut } from '../../src/admission/order-turn.ts';

const FULL = { whileOut: () => undefined };

it('waits for the answer, with a turn to lend or without', async () => {
  const lent = vi.fn(<T>(answer: Promise<T>) => answer);
  const giveBack = vi.fn();
  expect(await whileOut(undefined, Promise.resolve(1), giveBack)).toBe(1);
  expect(await whileOut({ whileOut: lent }, Promise.resolve(2), giveBack)).toBe(2);
  expect(lent).toHaveBeenCalledOnce();
  expect(giveBack).not.toHaveBeenCalled();
});

it('is refused where too many wait, and what it would have reserved is given back', async () => {
  const giveBack = vi.fn();
  let answer: (fault: undefined) => void = () => undefined;
  const asked = new Promise<undefined>((resolve) => {
    answer = resolve;
  });
  await expect(whileOut(FULL, asked, giveBack)).rejects.toMatchObject({ code: 'overloaded' });
  expect(giveBack).not.toHaveBeenCalled();
  answer(undefined);
  await asked;
  expect(giveBack).toHaveBeenCalledOnce();
});

it('gives nothing back where the answer never came', async () => {
  const giveBack = vi.fn();
  await expect(whileOut(FULL, Promise.reject(new Error('away')), giveBack)).rejects.toMatchObject({
    code: 'overloaded',
  });
  expect(giveBack).not.toHaveBeenCalled();
});
