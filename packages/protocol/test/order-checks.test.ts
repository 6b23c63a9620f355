// Precedence of the checks: the first row breaks everything, each next row fixes one field.
import { describe, expect, it } from 'vitest';
import { checkOrder, PresageError, parseJson, parseOrderSubmission } from '../src/index.ts';

const NOW = 1_800_000_000;
const good = {
  order: {
    marketId: `0x${'AB'.repeat(32)}`,
    trader: `0x${'Cd'.repeat(20)}`,
    side: 1,
    outcome: 0,
    price: 550_000,
    size: 10_000_000,
    nonce: 7,
    expiration: NOW + 60,
    makerFeeRecipient: `0x${'00'.repeat(20)}`,
  },
  signature: `0x${'11'.repeat(64)}1b`,
};

type Body = { order: Record<string, unknown>; signature: unknown; [key: string]: unknown };

function judge(body: unknown): string {
  const parsed = parseOrderSubmission(body);
  if (!parsed.ok) return `${parsed.fault.code} ${String(parsed.fault.details?.field)}`;
  return checkOrder(parsed.value, { nowSeconds: NOW, minOrderSize: 1_000 })?.code ?? 'ok';
}

describe('order checks', () => {
  it.each([
    [
      'price',
      0.55,
      'order.price must be an integer of millionths (550000 is 0.55), as a number or a decimal string: got 0.55',
    ],
    [
      'size',
      '1.5',
      'order.size must be an integer of millionths (1000000 is one share), as a number or a decimal string: got 1.5',
    ],
    ['side', '7', 'order.side must be 0 or 1: got 7'],
    [
      'nonce',
      '18446744073709551616',
      'order.nonce must be an integer from 0 to 2^64-1, as a number or a decimal string: got 18446744073709551616',
    ],
  ])('tell who writes a %s of %s what to write', (field, value, sentence) => {
    const parsed = parseOrderSubmission({ ...good, order: { ...good.order, [field]: value } });
    expect(parsed.ok ? undefined : new PresageError(parsed.fault.code, parsed.fault.details).message).toBe(sentence);
  });

  it('answer in the published order', () => {
    const body: Body = {
      order: {
        marketId: 'x',
        trader: 'x',
        side: 2,
        outcome: 'YES',
        price: -1,
        size: -1,
        nonce: 1.5,
        expiration: 'soon',
        makerFeeRecipient: null,
      },
      signature: '0x12',
    };
    const order = body.order;
    const fixes: [fix: () => unknown, next: string][] = [
      [() => 0, 'invalid_field order.marketId'],
      [() => (order.marketId = good.order.marketId), 'invalid_field order.trader'],
      [() => (order.trader = good.order.trader), 'invalid_field order.side'],
      [() => (order.side = '1'), 'invalid_field order.outcome'],
      [() => (order.outcome = 0), 'invalid_field order.price'],
      [() => (order.price = 0), 'invalid_field order.size'],
      [() => (order.size = 0), 'invalid_field order.nonce'],
      [() => (order.nonce = '18446744073709551616'), 'invalid_field order.expiration'],
      [() => (order.expiration = 0), 'invalid_field order.makerFeeRecipient'],
      [() => (order.makerFeeRecipient = good.order.trader), 'invalid_field order.nonce'],
      [() => (order.nonce = '18446744073709551615'), 'price_out_of_range'],
      [() => (order.price = 1_000_000), 'price_out_of_range'],
      [() => (order.price = '999999'), 'size_zero'],
      [() => (order.size = '9007199254740992'), 'size_too_large'],
      [() => (order.size = 999), 'size_too_small'],
      [() => (order.size = 1_000), 'expiration_too_soon'],
      [() => (order.expiration = NOW + 59), 'expiration_too_soon'],
      [() => (order.expiration = NOW + 60), 'fee_recipient_not_zero'],
      [() => (order.makerFeeRecipient = good.order.makerFeeRecipient), 'invalid_signature_length'],
      [() => (body.signature = `0x${'zz'.repeat(65)}`), 'invalid_signature_length'],
      [() => (body.signature = good.signature.slice(2)), 'ok'],
    ];
    for (const [fix, next] of fixes) {
      fix();
      expect(judge(body)).toBe(next);
    }
  });

  it('take integers as numbers, as long numbers and as strings, and give one order', () => {
    const nonce = 18_446_744_073_709_551_615n;
    const text = JSON.stringify(good);
    const asNumber = parseJson(text.replace('"nonce":7', `"nonce":${nonce}`));
    const asString = parseJson(text.replace('"nonce":7', `"nonce":"${nonce}"`));
    const [a, b] = [asNumber, asString].map((body) => parseOrderSubmission(body));
    expect(a).toEqual(b);
    expect(a).toMatchObject({ ok: true, value: { fields: { nonce, trader: `0x${'cd'.repeat(20)}` } } });
  });

  it('name a missing field, a body that is no object, and what was expected', () => {
    const { nonce: _nonce, ...rest } = good.order;
    const missing = parseOrderSubmission({ ...good, order: rest });
    expect(missing).toMatchObject({
      ok: false,
      fault: { code: 'invalid_field', details: { field: 'order.nonce', expected: expect.stringContaining('2^64-1') } },
    });
    for (const body of [null, [], 'x', 5, undefined]) expect(judge(body)).toMatch(/^invalid_field/);
    expect(judge({ ...good, timeInForce: 'DAY' })).toBe('invalid_field timeInForce');
    expect(judge({ ...good, postOnly: 'yes' })).toBe('invalid_field postOnly');
    expect(judge({ ...good, permitSignature: { nonce: 1 } })).toBe('invalid_field permitSignature.value');
  });

  it('ignore unknown fields and default the terms', () => {
    const parsed = parseOrderSubmission({ ...good, colour: 'red' });
    expect(parsed).toMatchObject({
      ok: true,
      value: { terms: { timeInForce: 'GTC', postOnly: false, selfTradePrevention: 'none', reduceOnly: false } },
    });
  });

  it('take null for an optional field as absent, and for no other', () => {
    const nulls = { permitSignature: null, timeInForce: null, postOnly: null, reduceOnly: null };
    const sent = { ...good, ...nulls, selfTradePrevention: null, colour: null };
    expect(parseOrderSubmission(sent)).toEqual(parseOrderSubmission(good));
    expect(sent).toHaveProperty('timeInForce', null);
    expect(judge({ ...sent, postOnly: 'yes' })).toBe('invalid_field postOnly');
    expect(judge({ ...sent, signature: null })).toBe('invalid_field signature');
    expect(judge({ ...sent, order: { ...good.order, nonce: null } })).toBe('invalid_field order.nonce');
    expect(judge({ ...good, order: null })).toBe('invalid_field order');
  });

  it('take a permit whose value is the whole uint256', () => {
    const value = (1n << 256n) - 1n;
    const word = `0x${'0F'.repeat(32)}`;
    const permitSignature = { nonce: 0, value: value.toString(), deadline: '99', v: 27, r: word, s: word };
    expect(parseOrderSubmission({ ...good, permitSignature })).toMatchObject({
      ok: true,
      value: { permit: { value, nonce: 0n, deadline: 99n, v: 27, r: word.toLowerCase() } },
    });
  });
});
