// Fixtures say what they read like, and follow from what they say.
import { createOrderBuilders, fromMillionths, ManualClock, TEST_MARKET, TRADERS, toMillionths } from '@presage/testkit';
import { describe, expect, it } from 'vitest';

describe('an order traders', () => {
  it('writes the order that its words say', () => {
    const traders = createOrderBuilders(new ManualClock(1_000_000));
    const command = traders.aliceBuysYes({ price: '0.55', size: '10', timeInForce: 'IOC' });
    expect(command).toMatchObject({
      type: 'place-order',
      timeMs: 1_000_000,
      order: { marketId: TEST_MARKET, trader: TRADERS.alice, side: 0, outcome: 0, price: 550_000, size: 10_000_000 },
      terms: { timeInForce: 'IOC', postOnly: false, selfTradePrevention: 'none', reduceOnly: false },
    });
    expect(traders.bobSellsNo({ price: '0.000001', size: '1' }).order).toMatchObject({ side: 1, outcome: 1, price: 1 });
  });

  it('counts nonces, so that no two orders are one', () => {
    const traders = createOrderBuilders();
    const orders = [traders.aliceBuysYes, traders.aliceBuysYes].map((write) => write({ price: '0.5', size: '1' }));
    expect(orders[0]!.orderHash).not.toBe(orders[1]!.orderHash);
  });

  it('gives the same order the same hash and signature', () => {
    const params = { price: '0.5', size: '1', nonce: 9n, expiration: 99 };
    const [one, other] = [createOrderBuilders(), createOrderBuilders()].map((traders) => traders.carolSellsNo(params));
    expect(one).toEqual(other);
    expect(one!.orderHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(one!.signature).toMatch(/^0x[0-9a-f]{130}$/);
  });
});

describe('millionths', () => {
  it.each([
    ['0.55', 550_000],
    ['10', 10_000_000],
    ['0.000001', 1],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER],
  ])('%s is %i and back', (text, amount) => {
    expect(toMillionths(text)).toBe(amount);
    expect(fromMillionths(amount)).toBe(text);
  });

  it('takes no more than 6 decimals, no sign, no exponent, nothing past 2^53', () => {
    for (const text of ['0.0000001', '-1', '1e3', '', '.5', '9007199254.740992']) {
      expect(() => toMillionths(text)).toThrow(RangeError);
    }
  });

  it('shows bigints exactly', () => {
    expect(fromMillionths(2n ** 64n)).toBe('18446744073709.551616');
  });
});

describe('a manual clock', () => {
  it('moves forward when told to and never back', () => {
    const clock = new ManualClock(1_500);
    clock.advanceMs(499);
    expect(clock.nowSeconds).toBe(1);
    clock.advanceSeconds(2);
    expect(clock.nowMs).toBe(3_999);
    expect(() => clock.advanceMs(-1)).toThrow('a clock does not go back');
  });
});
