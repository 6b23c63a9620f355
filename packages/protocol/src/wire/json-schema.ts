// The schemas as plain JSON Schema: bigint arms are how we parse, not what the wire shows.
import { isObject } from '../core/json.ts';
import { describeInput } from './body-shape.ts';

/** Drops bigint arms and unwraps unions of one, so that OpenAPI shows what a client may send and gets. */
export function toJsonSchema(schema: unknown): Record<string, unknown> {
  return isObject(schema) ? simplifyObject(schema) : {};
}

/** The schema of what a client sends: null counts as absent where a field may be absent, a decimal string as its integer. */
export function toInputSchema(schema: unknown): Record<string, unknown> {
  return toJsonSchema(asInput(schema));
}

function asInput(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asInput);
  if (!isObject(node)) return node;
  const entries = Object.entries(describeInput(node));
  return Object.fromEntries(entries.map(([key, value]) => [key, key === 'anyOf' ? asArms(value) : asInput(value)]));
}

/** An integer among other arms has its text beside it already. */
function asArms(arms: unknown): unknown {
  if (!Array.isArray(arms)) return arms;
  return arms.map((arm: unknown) => (isObject(arm) && arm.type === 'integer' ? arm : asInput(arm)));
}

function simplify(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(simplify);
  return isObject(node) ? simplifyObject(node) : node;
}

function simplifyObject(node: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === 'anyOf' ? simplifyArms(value) : simplify(value),
  ]);
  const plain = toTuple(Object.fromEntries(entries));
  const arms = plain.anyOf;
  if (!Array.isArray(arms) || arms.length !== 1) return plain;
  const { anyOf: _one, ...rest } = plain;
  return { ...arms[0], ...rest };
}

/** TypeBox writes the members of a tuple as drafts before 2020-12 did; OpenAPI 3.1 reads the newer word. */
function toTuple(plain: Record<string, unknown>): Record<string, unknown> {
  const { items: all, additionalItems: _none, ...rest } = plain;
  if (plain.type !== 'array' || !Array.isArray(all)) return plain;
  const areAlike = new Set(all.map((item) => JSON.stringify(item))).size === 1;
  // As a list of so many where it can be: linters and generators of clients stumble over a list without `items`.
  return { ...rest, ...(areAlike ? { items: all[0] } : { prefixItems: all }), maxItems: all.length };
}

function simplifyArms(arms: unknown): unknown[] {
  if (!Array.isArray(arms)) return [];
  return arms.filter((arm: { type?: unknown }) => arm.type !== 'bigint').map(simplify);
}
