// The shape of a request's body. Null counts as absent where a field may be absent, and a decimal string as its integer: clients send both.
import type { Static, TSchema } from 'typebox';
import { compileLater } from '../core/compile-later.ts';
import { isObject } from '../core/json.ts';
import { firstFieldFault } from './field-fault.ts';

type Node = Readonly<Record<string, unknown>>;

export type BodyFault = ReturnType<typeof firstFieldFault>;

interface BodyShape<T extends TSchema> {
  /** The body as its schema describes it; undefined if it has another shape. */
  readonly read: (body: unknown) => Static<T> | undefined;
  /** Why `read` refuses a body: `isToldBack` if the refusal may repeat what was sent. */
  readonly faultOf: (body: unknown, isToldBack?: boolean) => BodyFault;
}

/** Digits that every number holds exactly: no plain integer of a request needs more. */
const INTEGER_TEXT = /^[0-9]{1,15}$/;

/** Compiled once, when first used. Nulls and integers as text cost something only in a body that has some. */
export function bodyShape<T extends TSchema>(schema: T): BodyShape<T> {
  const compiled = compileLater(schema);
  return {
    read: (body) => {
      if (compiled().Check(body)) return body;
      const plain = toPlain(schema, body);
      return plain !== body && compiled().Check(plain) ? plain : undefined;
    },
    faultOf: (body, isToldBack = true) => {
      const plain = toPlain(schema, body);
      return firstFieldFault(compiled().Errors(plain), schema, isToldBack ? plain : undefined);
    },
  };
}

/** Leaves out fields that are null and may be absent, and reads integers from text; the value itself if there is neither. */
function toPlain(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  if (isPlainInteger(schema)) return typeof value === 'string' && INTEGER_TEXT.test(value) ? Number(value) : value;
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return toPlainMembers(schema.items, value);
  const optional = optionalFieldsOf(schema);
  const { properties } = schema;
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const isAbsent = member === null && optional.has(name);
    const plain = isAbsent ? undefined : toPlain(isObject(properties) ? properties[name] : undefined, member);
    if (plain !== member) isChanged = true;
    if (!isAbsent) kept.push([name, plain]);
  }
  return isChanged ? Object.fromEntries(kept) : value;
}

function toPlainMembers(schema: unknown, values: readonly unknown[]): readonly unknown[] {
  const plain = values.map((each) => toPlain(schema, each));
  return plain.some((each, index) => each !== values[index]) ? plain : values;
}

/** Larger ones bring their text along, as one of several arms. */
function isPlainInteger({ type }: Node): boolean {
  return type === 'integer';
}

/** Names of the fields of an object's schema that may be absent, and of which null says no more than that. */
function optionalFieldsOf({ properties, required }: Node): Set<string> {
  if (!isObject(properties)) return new Set();
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const entries = Object.entries(properties).filter(([name, field]) => !needed.has(name) && !takesNull(field));
  return new Set(entries.map(([name]) => name));
}

function takesNull(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { type, anyOf } = schema;
  return type === 'null' || (Array.isArray(anyOf) && anyOf.some(takesNull));
}

/** A schema as clients may meet it: null for a field that may be absent, a decimal string for an integer. */
export function describeInput(schema: Node): Node {
  if (isPlainInteger(schema)) return orElse(schema, { type: 'string', pattern: INTEGER_TEXT.source });
  if (!isObject(schema.properties)) return schema;
  const optional = optionalFieldsOf(schema);
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    if (!isObject(field)) return [name, field];
    const described = isPlainInteger(field) ? describeInput(field) : field;
    return [name, optional.has(name) ? orElse(described, { type: 'null' }) : described];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

function orElse({ description, ...field }: Node, other: Node): Node {
  const arms = Array.isArray(field.anyOf) ? field.anyOf : [field];
  return { anyOf: [...arms, other], ...(description !== undefined && { description }) };
}
