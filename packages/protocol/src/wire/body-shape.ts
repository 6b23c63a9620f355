// The shape of a request's body. Where a field may be absent, null counts as absent: many clients send it for what they leave out.
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

/** Compiled once, when first used. Nulls cost something only in a body that has some. */
export function bodyShape<T extends TSchema>(schema: T): BodyShape<T> {
  const compiled = compileLater(schema);
  return {
    read: (body) => {
      if (compiled().Check(body)) return body;
      const rest = withoutNulls(schema, body);
      return rest !== body && compiled().Check(rest) ? rest : undefined;
    },
    faultOf: (body, isToldBack = true) => {
      const rest = withoutNulls(schema, body);
      return firstFieldFault(compiled().Errors(rest), schema, isToldBack ? rest : undefined);
    },
  };
}

/** Leaves out fields that are null and may be absent, unless null says something else there; the value itself if there are none. */
function withoutNulls(schema: unknown, value: unknown): unknown {
  if (!isObject(schema) || !isObject(value)) return value;
  if (Array.isArray(value)) return withoutNullsInside(schema.items, value);
  const optional = optionalFieldsOf(schema);
  const { properties } = schema;
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const isAbsent = member === null && optional.has(name);
    const rest = isAbsent ? undefined : withoutNulls(isObject(properties) ? properties[name] : undefined, member);
    if (rest !== member) isChanged = true;
    if (!isAbsent) kept.push([name, rest]);
  }
  return isChanged ? Object.fromEntries(kept) : value;
}

function withoutNullsInside(schema: unknown, values: readonly unknown[]): readonly unknown[] {
  const rest = values.map((each) => withoutNulls(schema, each));
  return rest.some((each, index) => each !== values[index]) ? rest : values;
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

/** The schema of an object as its clients may send it: with null for a field that may be absent. */
export function describeNulls(schema: Node): Node {
  const optional = optionalFieldsOf(schema);
  if (optional.size === 0 || !isObject(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([name, field]) => [
    name,
    optional.has(name) && isObject(field) ? orNull(field) : field,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function orNull({ description, ...field }: Node): Node {
  const arms = Array.isArray(field.anyOf) ? field.anyOf : [field];
  return { anyOf: [...arms, { type: 'null' }], ...(description !== undefined && { description }) };
}
