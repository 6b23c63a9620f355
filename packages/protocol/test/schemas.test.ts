// Schemas validate what they document: one source for the check and for the description.
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import {
  bodyShape,
  OrderbookSnapshot,
  OrderSubmissionInput,
  PricePinInput,
  toInputSchema,
  toJsonSchema,
  Uint64,
} from '../src/index.ts';

describe('wire schemas', () => {
  it('take totals past 2^53 as exact integers', () => {
    const check = Compile(OrderbookSnapshot);
    const book = {
      marketId: `0x${'ab'.repeat(32)}`,
      bids: [{ price: 5, size: 2n ** 70n }],
      asks: [],
      lastUpdate: 1,
      seq: 1,
      hash: '0'.repeat(16),
    };
    expect(check.Check(book)).toBe(true);
    expect(check.Check({ ...book, hash: '0' })).toBe(false);
    expect(check.Check({ ...book, bids: [{ price: 5, size: 1.5 }] })).toBe(false);
  });

  it('become plain JSON Schema without bigint', () => {
    expect(toJsonSchema(Uint64)).toEqual({ type: 'integer', minimum: 0, description: 'uint64, digit-exact' });
    const text = JSON.stringify(toJsonSchema(OrderSubmissionInput));
    expect(text).not.toContain('bigint');
    expect(JSON.parse(text)).toMatchObject({ type: 'object', required: ['order', 'signature'] });
  });

  it('say of input that an optional field may be null, and a required one not', () => {
    const { properties } = JSON.parse(JSON.stringify(toInputSchema(OrderSubmissionInput)));
    expect(properties.postOnly).toEqual({
      description: 'true or false',
      anyOf: [{ type: 'boolean' }, { type: 'null' }],
    });
    expect(properties.permitSignature.anyOf.at(-1)).toEqual({ type: 'null' });
    expect(properties.signature).toEqual({ type: 'string', description: '65 bytes of hex' });
  });
});

describe('the shape of a body', () => {
  const Item = Type.Object({ id: Type.Integer(), note: Type.Optional(Type.String()) });
  const { read, faultOf } = bodyShape(
    Type.Object({
      name: Type.Optional(Type.String()),
      items: Type.Array(Item),
      inner: Type.Optional(Item),
      until: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    }),
  );

  it('leaves out nulls of optional fields at every depth, and keeps the body that was sent', () => {
    const sent = { name: null, items: [{ id: 1, note: null }, { id: 2 }], inner: { id: 3, note: null }, other: null };
    const before = structuredClone(sent);
    expect(read(sent)).toEqual({ items: [{ id: 1 }, { id: 2 }], inner: { id: 3 }, other: null });
    expect(sent).toEqual(before);
  });

  it('reads an integer from a decimal string at every depth, and from no other text', () => {
    expect(read({ items: [{ id: '1' }], inner: { id: '007' } })).toEqual({ items: [{ id: 1 }], inner: { id: 7 } });
    for (const id of ['', ' 1', '1.0', '1e3', '0x1', '-1', '+1', 'x', '9'.repeat(16), true, [1]]) {
      expect(read({ items: [{ id }] }), String(id)).toBeUndefined();
      expect(faultOf({ items: [{ id }] }).details).toMatchObject({ field: 'items.0.id' });
    }
    const { properties } = JSON.parse(JSON.stringify(toInputSchema(Item)));
    expect(properties.id).toEqual({ anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[0-9]{1,15}$' }] });
  });

  it('keeps a null that has a meaning of its own', () => {
    const sent = { name: null, items: [], until: null };
    expect(read(sent)).toEqual({ items: [], until: null });
    const release = { asset: 'BTC', priceUSD: null };
    expect(bodyShape(PricePinInput).read(release)).toBe(release);
  });

  it('answers the same body where nothing is null, and refuses a null that is needed', () => {
    const sent = { items: [{ id: 1 }] };
    expect(read(sent)).toBe(sent);
    for (const body of [{ items: null }, { name: null, items: [{ id: null }] }, { items: [null] }, null])
      expect(read(body)).toBeUndefined();
    expect(faultOf({ name: null, items: [{ id: null }] }).details).toMatchObject({ field: 'items.0.id' });
  });

  it('names another fault before a null that may be absent', () => {
    const { details } = faultOf({ name: null, items: 7 });
    expect(details).toMatchObject({ field: 'items', got: 7 });
    expect(faultOf({ name: null, items: 7 }, false).details).not.toHaveProperty('got');
  });
});
