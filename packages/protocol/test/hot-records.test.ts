// Every record that is written as bytes, drawn from its schema: whatever the type may hold comes back, nothing is dropped.
import { seedFromEnv } from '@presage/testkit';
import fc, { type Arbitrary } from 'fast-check';
import type Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord, type JournalRecord, toAcceptedJson } from '../src/index.ts';
import { HOT_TYPES, HOT_VERSION } from '../src/records/hot-records.ts';
import type { RecordType } from '../src/records/journal-records.ts';
import { RECORD_SHAPES } from '../src/records/record-shapes.ts';
import { isChangedSince } from '../src/records/record-upgrades.ts';
import { unmarkWalletSignature } from '../src/signing/signature.ts';

const seed = seedFromEnv(20_261_115);
const UINT256 = 78;

/** What the schemas of these records are made of. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
}

/** Any value that the schema lets pass, each optional field there or not. */
function draw(schema: Schema): Arbitrary<unknown> {
  if (schema.properties) return drawObject(schema.properties, schema.required ?? []);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(draw));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer') {
    return fc.maxSafeNat().map((n) => {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
      return minimum + (n % (maximum - minimum + 1));
    });
  }
  if (schema.type === 'string') return drawText(schema.pattern);
  throw new Error(`no values are known for ${JSON.stringify(schema)}`);
}

function drawObject(fields: Readonly<Record<string, Schema>>, required: readonly string[]): Arbitrary<unknown> {
  const values = Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, draw(schema)]));
  return fc.record(values, { requiredKeys: [...required], noNullPrototype: true });
}

function drawText(pattern: string | undefined): Arbitrary<string> {
  if (pattern === undefined) return fc.string({ maxLength: 60 });
  if (pattern.includes(String(UINT256))) return fc.bigInt(0n, (1n << 256n) - 1n).map(String);
  return fc.stringMatching(new RegExp(pattern));
}

/** By way of JSON, which takes a record as its schema describes it. */
function recordOf(type: RecordType, fields: Record<string, unknown>): JournalRecord {
  const order = fields.order && { order: { ...(fields.order as object), marketId: fields.marketId } };
  return decodeRecord(new TextEncoder().encode(JSON.stringify({ v: 3, type, ...fields, ...(order as object) })));
}

/** Their signatures are of any length: such orders stay JSON. */
const isOfContractWallet = (record: JournalRecord) =>
  record.type === 'order-accepted' && unmarkWalletSignature(record.signature) !== undefined;

const toJson = (record: JournalRecord) => (record.type === 'order-accepted' ? toAcceptedJson(record) : record);

describe('a record written as bytes', () => {
  it('is one of four', () => {
    expect(HOT_TYPES).toEqual(['order-accepted', 'trade-matched', 'order-cancelled', 'trade-moved']);
  });

  it('is read without passing through JSON, since no later version changed one', () => {
    expect(HOT_TYPES.filter((type) => isChangedSince(HOT_VERSION, type))).toEqual([]);
    expect(isChangedSince(1, 'token-used')).toBe(true);
    expect(isChangedSince(2, 'token-used')).toBe(false);
  });

  it.each(HOT_TYPES)('%s comes back with every field that it had, and with no other', (type) => {
    const fields = draw(RECORD_SHAPES[type] as Type.TSchema as Schema) as Arbitrary<Record<string, unknown>>;
    fc.assert(
      fc.property(fields, (drawn) => {
        const record = recordOf(type, drawn);
        const bytes = encodeRecord(record);
        expect(bytes[0]! < 32).toBe(!isOfContractWallet(record));
        expect(toJson(decodeRecord(bytes))).toStrictEqual(toJson(record));
      }),
      { seed, numRuns: 500 },
    );
  });
});
