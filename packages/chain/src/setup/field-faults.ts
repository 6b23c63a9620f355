// Finds every fault of a JSON value against its schema, each with the field's path and the expectation.
import type Type from 'typebox';
import { Check } from 'typebox/value';

/** The parts of a schema that the walk reads; typebox's own types hide them behind their kinds. */
interface Node extends Type.TSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/**
 * Walks the schema itself: a compiled validator stops after the first few errors, and one start must report them all.
 */
export function findFieldFaults(schema: Type.TSchema, value: unknown, path = ''): string[] {
  return walk(schema, value, path);
}

function walk(node: Node, value: unknown, path: string): string[] {
  if (node.properties !== undefined) return walkObject(node, value, path);
  if (node.items !== undefined) return walkList(node, value, path);
  if (Check(node, value)) return [];
  return [`${path}: give ${expected(node)}, not ${draw(value)}`];
}

function walkObject(node: Node, value: unknown, path: string): string[] {
  const { properties = {}, required = [] } = node;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${path}: give an object, not ${draw(value)}`];
  }
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const given = Object.entries(value);
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `${below(name)}: is missing; give ${expected(properties[name] ?? {})}`),
    ...given.flatMap(([name, member]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (known !== undefined) return walk(known, member, below(name));
      return [`${below(name)}: there is no such field; there are ${Object.keys(properties).join(', ')}`];
    }),
  ];
}

function walkList(node: Node, value: unknown, path: string): string[] {
  const { items = {}, minItems = 0, maxItems = Number.MAX_SAFE_INTEGER } = node;
  if (!Array.isArray(value)) return [`${path}: give a list, not ${draw(value)}`];
  if (value.length < minItems || value.length > maxItems) return [`${path}: give ${expected(node)}`];
  return value.flatMap((member, index) => walk(items, member, `${path}[${index}]`));
}

function expected({ description, type }: Node): string {
  return (description ?? `a ${type ?? 'value'}`).split(';')[0]!;
}

/** The value of a field for a key is never shown: the mistaken text may be one. */
function draw(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  if (/[0-9a-f]{64}/i.test(text)) return 'a value that looks like a secret';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
