// Turns a validator's list of errors into one field and one plain expectation for people.
import type { TSchema } from 'typebox';
import type { Fault } from '../core/fault.ts';
import { isObject } from '../core/json.ts';

interface ValidationError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** The refusal quotes the sent value if the body is given. */
export function firstFieldFault(errors: readonly ValidationError[], schema: TSchema, body?: unknown): Fault {
  const first = errors[0];
  if (first === undefined) return { code: 'invalid_field', details: { field: '', expected: 'a valid body' } };
  const path = first.instancePath.split('/').slice(1);
  if (first.keyword !== 'required') return fieldFaultAt(path, { schema, body, otherwise: first.message });
  path.push(...firstMissing(first.params));
  const expected = describeAt(schema, path) ?? first.message;
  return { code: 'invalid_field', details: { field: path.join('.'), expected, missing: true } };
}

interface FaultyBody {
  readonly schema: TSchema;
  readonly body: unknown;
  /** Expectation for a field that its schema does not describe. */
  readonly otherwise?: string;
}

export function fieldFaultAt(
  path: readonly string[],
  { schema, body, otherwise = 'a valid value' }: FaultyBody,
): Fault {
  const expected = describeAt(schema, path) ?? otherwise;
  return { code: 'invalid_field', details: { field: path.join('.'), expected, ...toSent(body, path) } };
}

/** The sent value if it is short enough to quote; lists and objects would hide the sentence. */
function toSent(body: unknown, path: readonly string[]): { got?: unknown } {
  let at = body;
  for (const name of path) at = isObject(at) ? at[name] : undefined;
  return at === undefined || isObject(at) ? {} : { got: at };
}

function firstMissing(params: object): string[] {
  const { requiredProperties }: { requiredProperties?: readonly string[] } = params;
  return requiredProperties?.slice(0, 1) ?? [];
}

/** The description of the schema at a path, so that every field explains itself in its schema and nowhere else. */
function describeAt(schema: TSchema, path: readonly string[]): string | undefined {
  let at: unknown = schema;
  for (const name of path) {
    const { properties, items } = isObject(at) ? at : {};
    at = (isObject(properties) ? properties[name] : undefined) ?? items;
  }
  if (!isObject(at)) return undefined;
  return typeof at.description === 'string' ? at.description : describeType(at.type);
}

function describeType(type: unknown): string | undefined {
  return typeof type === 'string' ? `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}` : undefined;
}
