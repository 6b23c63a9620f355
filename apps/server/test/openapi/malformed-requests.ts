// Malformed requests made from the published schemas: every parameter, every body and every field broken in turn.

import { stringifyJson } from '@presage/protocol';
import { Compile } from 'typebox/compile';
import type { PublishedOperation, Schema } from './published-api.ts';

export interface MalformedRequest {
  readonly name: string;
  readonly operation: PublishedOperation;
  readonly method: string;
  readonly path: string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a parameter is when it is good, by its name. */
export type GoodValues = Readonly<Record<string, string>>;

const JSON_TYPE = { 'content-type': 'application/json' };
const BAD_TEXTS = [
  'zz',
  '0x12',
  '-1',
  '1.5',
  'null',
  '%00',
  '..%2f',
  `0x${'g'.repeat(64)}`,
  '9'.repeat(40),
  '%F0%9F%92%A5',
];
const BAD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  '',
  'x',
  '0x12',
  [],
  {},
  [1],
  { a: 1 },
  1e300,
  '9'.repeat(90),
];
const BAD_BODIES = ['', '{', 'null', '[]', '"text"', '42', '{"a":', '{}', '[{}]', '\u0000', '{"__proto__":1}'];

export function* malformedRequests(operation: PublishedOperation, good: GoodValues): Generator<MalformedRequest> {
  yield* badParameters(operation, good);
  if (operation.body === undefined) return;
  yield* badBodies(operation, good);
  yield* badFields(operation, good);
}

function* badParameters(operation: PublishedOperation, good: GoodValues): Generator<MalformedRequest> {
  for (const parameter of operation.parameters) {
    const fits = Compile(parameter.schema);
    const bad = BAD_TEXTS.filter((text) => !fits.Check(decodeURIComponent(text)));
    for (const text of bad)
      yield request(operation, `${parameter.name}=${text}`, urlOf(operation, good, { [parameter.name]: text }));
    if (parameter.in === 'path') continue;
    const twice = `${urlOf(operation, good)}&${parameter.name}=${good[parameter.name] ?? '1'}&${parameter.name}=1`;
    yield request(operation, `${parameter.name} twice`, twice);
    if (parameter.required) {
      yield request(operation, `${parameter.name} missing`, urlOf(operation, good, { [parameter.name]: undefined }));
    }
  }
}

function* badBodies(operation: PublishedOperation, good: GoodValues): Generator<MalformedRequest> {
  const url = urlOf(operation, good);
  const fits = Compile(operation.body as Schema);
  for (const text of BAD_BODIES) {
    if (isGood(text, fits) || (text === '' && !operation.isBodyRequired)) continue;
    yield { ...request(operation, `body ${JSON.stringify(text)}`, url), text, headers: JSON_TYPE };
  }
  yield { ...request(operation, 'body of plain text', url), text: '{}', headers: { 'content-type': 'text/plain' } };
  yield { ...request(operation, 'body too large', url), text: `{"a":"${'x'.repeat(70_000)}"}`, headers: JSON_TYPE };
}

function isGood(text: string, fits: { Check(value: unknown): boolean }): boolean {
  try {
    return fits.Check(JSON.parse(text));
  } catch {
    return false;
  }
}

function* badFields(operation: PublishedOperation, good: GoodValues): Generator<MalformedRequest> {
  const schema = operation.body as Schema;
  const whole = sampleOf(schema) as Record<string, unknown>;
  for (const [path, member] of fieldsOf(schema)) {
    const fits = Compile(member);
    for (const value of BAD_VALUES.filter((each) => !fits.Check(each))) {
      const text = stringifyJson(withField(whole, path, value));
      const name = `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 20)}`;
      yield { ...request(operation, name, urlOf(operation, good)), text, headers: JSON_TYPE };
    }
  }
}

/** Every field of the body, those of objects inside it too. */
function* fieldsOf(schema: Schema, at: readonly string[] = []): Generator<[path: readonly string[], member: Schema]> {
  for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    yield [[...at, name], member];
    // An optional object may be null, too.
    const arms = (member.anyOf ?? [member]) as readonly Schema[];
    for (const arm of arms) if (arm.type === 'object') yield* fieldsOf(arm, [...at, name]);
  }
}

function withField(body: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): object {
  if (name === undefined) return body;
  const inner = body[name] as Record<string, unknown>;
  return { ...body, [name]: rest.length === 0 ? value : withField(inner, rest, value) };
}

/** Any value that fits. */
function sampleOf(schema: Schema): unknown {
  const {
    anyOf,
    type,
    pattern = '',
    description = '',
  } = schema as { anyOf?: Schema[]; type?: string; pattern?: string; description?: string };
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (anyOf !== undefined) return sampleOf(anyOf[0]!);
  if (type === 'object') {
    const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
    return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(member)]));
  }
  if (type === 'array') return schema.items === undefined ? [] : [sampleOf(schema.items as Schema)];
  if (type === 'string')
    return /\{64\}|64 hex/.test(pattern + description)
      ? `0x${'5a'.repeat(32)}`
      : /\{40\}|40 hex/.test(pattern + description)
        ? `0x${'5a'.repeat(20)}`
        : '1';
  return type === 'boolean' ? true : Number(schema.minimum ?? 1);
}

function request(operation: PublishedOperation, name: string, path: string): MalformedRequest {
  const method = operation.method.toUpperCase();
  return { name: `${method} ${operation.path}: ${name}`, operation, method, path };
}

/** The address of an operation with good values, but for those given. */
export function urlOf(
  { path, parameters }: PublishedOperation,
  good: GoodValues,
  instead: Readonly<Record<string, string | undefined>> = {},
): string {
  const chosen = (name: string) => (name in instead ? instead[name] : good[name]);
  const address = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => chosen(name) ?? '1');
  const query = parameters
    .filter(
      ({ in: place, name, required }) =>
        place === 'query' && (required || name in instead || (path.endsWith('/user-stats') && name === 'address')),
    )
    .flatMap(({ name }) => (chosen(name) === undefined ? [] : [`${name}=${chosen(name)}`]));
  return `${address}?${query.join('&')}`;
}
