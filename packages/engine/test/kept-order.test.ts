// What the engine keeps of an order is the order: no term, no field and no permit is lost, live or after a restore.
import { ORDER_TERM_NAMES, ORDER_TERMS, type OrderTermName, type OrderTerms } from '@presage/protocol';
import { createOrderBuilders, listMarket, ManualClock } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Engine } from '../src/index.ts';

const hash = (byte: string) => `0x${byte.repeat(32)}` as const;
const PERMIT = { nonce: 1n, value: (1n << 256n) - 1n, deadline: 5n, v: 27, r: hash('cc'), s: hash('dd') };

/** Every value of every term, one at a time. */
const CHOICES = ORDER_TERM_NAMES.flatMap((name) =>
  ORDER_TERMS[name].map((value): [OrderTermName, OrderTerms[OrderTermName]] => [name, value]),
);

describe('a kept order', () => {
  it.each(CHOICES)('keeps its %s of %s', (name, value) => {
    const clock = new ManualClock();
    const engine = new Engine();
    engine.apply(listMarket(clock.nowMs));
    const { aliceBuysYes, bobSellsYes } = createOrderBuilders(clock);
    engine.apply(bobSellsYes({ price: '0.7', size: '3' }));
    // It crosses, so that one that may not rest is accepted too; a post-only one stays below.
    const price = name === 'postOnly' && value === true ? '0.6' : '0.7';
    const placed = { ...aliceBuysYes({ price, size: '3', [name]: value }), permit: PERMIT };
    engine.apply(placed);
    const { orderHash, order, signature, terms, permit } = placed;
    expect(terms[name]).toBe(value);
    for (const each of [engine, Engine.restore(engine.checkpointLines())]) {
      expect(each.order(orderHash)?.signed).toMatchObject({ orderHash, order, signature, terms, permit });
    }
  });
});
