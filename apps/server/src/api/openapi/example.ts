// A value that fits a schema, for people to read: from the schema's own examples and limits.
type Schema = Readonly<Record<string, unknown>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ADDRESS = '0x976EA74026E726554dB657fA54763abd0C3a0aa9';
const BYTES32 = `0x${'5a'.repeat(32)}`;

/** By what a text must look like; the patterns are those of the wire's scalars. */
const TEXTS: readonly [RegExp, string][] = [
  [/^[0-9a-f]{64}$/, '9f'.repeat(32)],
  [/^[0-9a-f]{16}$/, '00c0ffee00c0ffee'],
  [/^0x[0-9a-fA-F]{40}$/, ADDRESS],
  [/^0x[0-9a-fA-F]{64}$/, BYTES32],
  [/^[0-9]+$/, '1000000'],
];

export function exampleOf(schema: unknown): unknown {
  if (!isSchema(schema)) return {};
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0]);
  switch (schema.type) {
    case 'object':
      return exampleObject(schema);
    case 'array':
      return exampleList(schema);
    case 'string':
      return exampleText(schema);
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 0), Math.min(Number(schema.maximum ?? 1_000_000), 1_000_000));
    case 'null':
      return null;
    default:
      return {};
  }
}

function exampleList({ prefixItems, items, minItems = 1 }: Schema): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems.map(exampleOf);
  if (items === undefined) return [];
  return Array.from({ length: Math.max(1, Number(minItems)) }, () => exampleOf(items));
}

function exampleObject({ properties }: Schema): Schema {
  const members = isSchema(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)]));
}

function exampleText({ pattern, description, minLength }: Schema): string {
  if (typeof pattern === 'string') {
    const fits = new RegExp(pattern);
    const found = TEXTS.find(([, text]) => fits.test(text));
    if (found !== undefined) return found[1];
    return fits.test('') ? '' : '1';
  }
  if (typeof description === 'string' && /64 hex/.test(description)) return BYTES32;
  if (typeof description === 'string' && /40 hex/.test(description)) return ADDRESS;
  return minLength === undefined ? 'text' : 'BTC';
}
