// The bytes of accepted orders: the same order has one record for all engines, which lives as long as one of them keeps it.
import type { SignedOrder } from '@presage/protocol';
import { createOrderBuilders } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { PackedCommands } from '../src/slabs/packed-commands.ts';
import { SignedOrders } from '../src/slabs/signed-orders.ts';

const { aliceBuysYes } = createOrderBuilders();
const ORDER = aliceBuysYes({ price: '0.5', size: '2', nonce: 2n ** 64n - 1n });

/** As the engine accepts them: from the bytes of a command. */
class Accepted extends SignedOrders {
  readonly #packed = new PackedCommands(1);

  accept(signed: SignedOrder, { step = 2, sequence = 5 } = {}): number {
    this.#packed.writePlace(0, signed, 1_000);
    this.#packed.stamp(0, step, 1_000);
    return this.add(this.#packed, 0, sequence);
  }
}

describe('the bytes of an order', () => {
  it('are one record for whoever accepts the same order in the same step', () => {
    const orders = new Accepted(7);
    const first = orders.accept(ORDER);
    expect(orders.accept(ORDER)).toBe(first);
    expect(orders.accept(ORDER, { step: 3 })).not.toBe(first);
    expect(orders.accept({ ...ORDER, terms: { ...ORDER.terms, postOnly: true } })).not.toBe(first);
    expect(orders.accept({ ...ORDER, signature: `0x${'ab'.repeat(65)}` })).not.toBe(first);
  });

  it('are one record for an engine that is behind by many orders', () => {
    const orders = new Accepted(7);
    const all = Array.from({ length: 200 }, (_, index) => ({
      signed: aliceBuysYes({ price: '0.5', size: '2', nonce: BigInt(index) }),
      place: { step: index, sequence: index + 1 },
    }));
    const first = all.map(({ signed, place }) => orders.accept(signed, place));
    expect(all.map(({ signed, place }) => orders.accept(signed, place))).toEqual(first);
  });

  it('are what was signed, whatever its length', () => {
    const orders = new Accepted(7);
    const long = { ...ORDER, signature: `0x${'cd'.repeat(130)}` as const };
    for (const signed of [ORDER, long]) {
      const order = orders.accept(signed);
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
    const orders = new Accepted(7);
    const first = orders.accept(ORDER);
    orders.keep(first);
    orders.release(first);
    expect(orders.accept(ORDER)).toBe(first);
    orders.beginReading();
    orders.release(first);
    orders.release(first);
    const other = orders.accept(aliceBuysYes({ price: '0.4', size: '1' }));
    expect(other).not.toBe(first);
    expect(orders.hash(first)).toBe(ORDER.orderHash);
    orders.endReading();
    expect(orders.accept(aliceBuysYes({ price: '0.4', size: '1' }))).toBe(first);
  });

  it('refuse what is no uint64 and what is no hex', () => {
    const orders = new Accepted(7);
    const { order } = ORDER;
    const loud = `0x${'AB'.repeat(32)}` as const;
    expect(() => orders.accept({ ...ORDER, order: { ...order, nonce: 2n ** 64n } })).toThrow('is no uint64');
    expect(() => orders.accept({ ...ORDER, orderHash: '0x12' })).toThrow('is not 32 bytes');
    expect(() => orders.accept({ ...ORDER, orderHash: loud })).toThrow('is not 32 bytes');
  });
});
