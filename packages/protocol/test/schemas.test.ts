// Schemas validate what they document: one source for the check and for the description.
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { OrderbookSnapshot, OrderSubmissionInput, toJsonSchema, Uint64 } from '../src/index.ts';

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
});
