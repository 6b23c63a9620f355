// The bytes of accepted orders: the same order has one record for all engines, which lives as long as one of them keeps it.
import { createOrderBuilders } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { SignedOrders } from '../src/slabs/signed-orders.ts';

const { aliceBuysYes } = createOrderBuilders();
const ORDER = aliceBuysYes({ price: '0.5', size: '2', nonce: 2n ** 64n - 1n });

describe('the bytes of an order', () => {
  it('are one record for whoever accepts the same order in the same step', () => {
    const orders = new SignedOrders(7);
    const first = orders.add(ORDER, 2, 1_000);
    expect(orders.add(ORDER, 2, 1_000)).toBe(first);
    expect(orders.add(ORDER, 3, 1_000)).not.toBe(first);
    expect(orders.add({ ...ORDER, terms: { ...ORDER.terms, postOnly: true } }, 2, 1_000)).not.toBe(first);
    expect(orders.add({ ...ORDER, signature: `0x${'ab'.repeat(65)}` }, 2, 1_000)).not.toBe(first);
  });

  it('are what was signed, whatever its length', () => {
    const orders = new SignedOrders(7);
    const long = { ...ORDER, signature: `0x${'cd'.repeat(130)}` as const };
    for (const signed of [ORDER, long]) {
      const order = orders.add(signed, 2, 1_000);
      expect(orders.hash(order)).toBe(signed.orderHash);
      expect(orders.signature(order)).toBe(signed.signature);
      expect(orders.nonce(order)).toBe(2n ** 64n - 1n);
      expect(orders.expiration(order)).toBe(signed.order.expiration);
      expect([orders.trader(order), orders.size(order), orders.terms(order)]).toEqual([
        signed.order.trader,
        signed.order.size,
        signed.terms,
      ]);
    }
  });

  it('are given up when the last engine gives them up, and not while somebody reads', () => {
    const orders = new SignedOrders(7);
    const first = orders.add(ORDER, 2, 1_000);
    orders.keep(first);
    orders.release(first);
    expect(orders.add(ORDER, 2, 1_000)).toBe(first);
    orders.beginReading();
    orders.release(first);
    orders.release(first);
    const other = orders.add(aliceBuysYes({ price: '0.4', size: '1' }), 2, 1_000);
    expect(other).not.toBe(first);
    expect(orders.hash(first)).toBe(ORDER.orderHash);
    orders.endReading();
    expect(orders.add(aliceBuysYes({ price: '0.4', size: '1' }), 2, 1_000)).toBe(first);
  });

  it('refuse what is no uint64 and what is no hex', () => {
    const orders = new SignedOrders(7);
    const { order } = ORDER;
    const loud = `0x${'AB'.repeat(32)}` as const;
    expect(() => orders.add({ ...ORDER, order: { ...order, nonce: 2n ** 64n } }, 2, 1_000)).toThrow('is no uint64');
    expect(() => orders.add({ ...ORDER, orderHash: '0x12' }, 2, 1_000)).toThrow('is not 32 bytes');
    expect(() => orders.add({ ...ORDER, orderHash: loud }, 2, 1_000)).toThrow('is not 32 bytes');
  });
});
