// Packed batches against the golden bytes of vectors/, and what cannot be packed.
import type { Hex } from '@presage/protocol';
import { concatHex, sliceHex, zeroHash } from 'viem';
import { describe, expect, it } from 'vitest';
import vectors from '../../../vectors/orders.json' with { type: 'json' };
import { type PackableOrder, packBatch } from '../src/packed-batch.ts';

const golden = vectors.orders.map(({ order, signature, packed }) => ({
  order: {
    ...order,
    marketId: order.marketId as Hex,
    trader: order.trader as Hex,
    price: BigInt(order.price),
    size: BigInt(order.size),
    nonce: BigInt(order.nonce),
    expiration: BigInt(order.expiration),
  },
  signature: signature as Hex,
  packed: packed as Hex,
}));
const [{ order: anOrder, signature: aSignature }] = golden as [(typeof golden)[number]];

const packOne = (changes: Partial<PackableOrder>) =>
  packBatch({ orders: [{ order: { ...anOrder, ...changes }, signature: aSignature }], fills: [] });

describe('a packed batch', () => {
  it('has the bytes of the vectors, order after order', () => {
    const [marketIds, orders] = packBatch({ orders: golden, fills: [] });
    expect(marketIds).toEqual(golden.map(({ order }) => order.marketId));
    expect(orders).toBe(concatHex(golden.map(({ packed }) => packed)));
  });

  it('names a market once, however many orders are of it', () => {
    const other = { ...anOrder, marketId: zeroHash };
    const orders = [anOrder, other, anOrder, other].map((order) => ({ order, signature: aSignature }));
    const [marketIds, packed] = packBatch({ orders, fills: [] });
    expect(marketIds).toEqual([anOrder.marketId, zeroHash]);
    const places = orders.map((_, index) => sliceHex(packed, index * 112 + 28, index * 112 + 29));
    expect(places).toEqual(['0x00', '0x01', '0x00', '0x01']);
  });

  it('writes a fill in thirteen bytes', () => {
    const fills = [
      { buy: 0, sell: 199, price: 999_999, size: 1 },
      { buy: 255, sell: 1, price: 1n, size: 2n ** 64n - 1n },
    ];
    const [, , packed] = packBatch({ orders: [], fills });
    expect(packed).toBe('0x00c70f423f0000000000000001ff01000001ffffffffffffffff');
  });

  it.each([
    ['a price of 23 bits', { price: 2 ** 22 }],
    ['a negative price', { price: -1 }],
    ['a size of 65 bits', { size: 2n ** 64n }],
    ['a nonce of 65 bits', { nonce: 2n ** 64n }],
    ['an expiration of 65 bits', { expiration: 2n ** 64n }],
    ['a third outcome', { outcome: 2 }],
    ['a third side', { side: 2 }],
    ['a trader of 21 bytes', { trader: `0x${'11'.repeat(21)}` as Hex }],
  ])('refuses %s', (_what, changes) => {
    expect(() => packOne(changes)).toThrow();
  });

  it.each([
    [{}, '0x00010000020000000000000003'],
    [{ mustNotMint: true }, '0x00018000020000000000000003'],
    [{ buyerLedger: true }, '0x00014000020000000000000003'],
    [{ sellerLedger: true }, '0x00012000020000000000000003'],
    [{ mustNotMint: true, buyerLedger: true, sellerLedger: true }, '0x0001e000020000000000000003'],
  ])('has the flags %o above the price of a fill', (flags, packed) => {
    const fill = { buy: 0, sell: 1, price: 2, size: 3, ...flags };
    expect(packBatch({ orders: [], fills: [fill] })[2]).toBe(packed);
  });

  it('refuses a fill whose price would be a flag', () => {
    const fill = { buy: 0, sell: 1, price: 2 ** 21, size: 1 };
    expect(() => packBatch({ orders: [], fills: [fill] })).toThrow();
  });

  it('refuses an order that no byte can name', () => {
    const fill = { buy: 256, sell: 0, price: 1, size: 1 };
    expect(() => packBatch({ orders: [], fills: [fill] })).toThrow();
  });
});
