// The schemas as plain JSON Schema: bigint arms are how we parse, not what the wire shows.
/** Drops bigint arms and unwraps unions of one, so that OpenAPI shows what a client may send and gets. */
export function toJsonSchema(schema: unknown): Record<string, unknown> {
  return simplify(schema) as Record<string, unknown>;
}

function simplify(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(simplify);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === 'anyOf' ? simplifyArms(value) : simplify(value),
  ]);
  const plain = toTuple(Object.fromEntries(entries) as Record<string, unknown>);
  const arms = plain.anyOf;
  if (!Array.isArray(arms) || arms.length !== 1) return plain;
  const { anyOf: _one, ...rest } = plain;
  return { ...(arms[0] as object), ...rest };
}

/** TypeBox writes the members of a tuple as drafts before 2020-12 did; OpenAPI 3.1 reads the newer word. */
function toTuple(plain: Record<string, unknown>): Record<string, unknown> {
  if (plain.type !== 'array' || !Array.isArray(plain.items)) return plain;
  const { items, additionalItems: _none, ...rest } = plain;
  const all = items as unknown[];
  const areAlike = new Set(all.map((item) => JSON.stringify(item))).size === 1;
  // As a list of so many where it can be: linters and generators of clients stumble over a list without `items`.
  return { ...rest, ...(areAlike ? { items: all[0] } : { prefixItems: all }), maxItems: all.length };
}

function simplifyArms(arms: unknown): unknown[] {
  if (!Array.isArray(arms)) return [];
  return arms.filter((arm: { type?: unknown }) => arm.type !== 'bigint').map(simplify);
}
