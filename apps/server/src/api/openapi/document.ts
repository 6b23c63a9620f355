// The OpenAPI 3.1 document: operations, schemas by name and every error, put together once at start.
import * as words from '@presage/protocol';
import { ERRORS, type ErrorCode, toJsonSchema } from '@presage/protocol';
import type { TSchema } from 'typebox';
import { exampleOf } from './example.ts';
import type { Access, Operation, Parameter } from './operation.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
}

export interface DocumentOptions {
  readonly version: string;
  readonly operations: readonly Operation[];
  /** What is really served: an operation without a route is left out, a route without an operation is told. */
  readonly routes: readonly Route[];
}

const EVERYWHERE: readonly ErrorCode[] = ['rate_limited', 'recovering', 'overloaded', 'internal'];
const WITH_INPUT: readonly ErrorCode[] = ['invalid_field'];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'unsupported_media_type', 'body_too_large'];
const WITH_TOKEN: readonly ErrorCode[] = [
  'missing_authorization_header',
  'invalid_authorization_format',
  'invalid_token_format',
  'token_expired',
  'api_key_not_found',
  'api_key_inactive',
  'api_key_expired',
  'invalid_token_signature',
  'token_already_used',
];

/** The schemas that have a name of their own in the protocol. */
const NAMES = new Map<unknown, string>(
  Object.entries(words)
    .filter(
      ([name, value]) => /^[A-Z][a-z]/.test(name) && typeof value === 'object' && value !== null && '~kind' in value,
    )
    .map(([name, value]) => [value, name]),
);

export function createDocument({ version, operations, routes }: DocumentOptions): object {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const told = operations.filter(({ method, path }) => served.has(`${method} ${path}`));
  const known = new Set(told.map(({ method, path }) => `${method} ${path}`));
  const untold = [...served].filter((route) => !known.has(route));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Presage',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'An exchange for binary prediction markets: signed orders, price-time matching, settlement on chain, a gasless relayer. ' +
        'Prices, sizes and amounts are integers with 6 decimals: 1000000 is 1.00. Integers may be sent as numbers or decimal strings, and are answered digit-exact.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(told.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: toPaths(told),
    components: { securitySchemes: SECURITY, schemas: componentSchemas(), responses: componentErrors() },
    ...(untold.length > 0 && { 'x-undocumented': untold }),
  };
}

const SECURITY = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'base64url(payload).base64url(signature), single-use: payload {kid, ts, n}, signed with the Ed25519 key of POST /api/v1/api-keys.',
  },
};

function toPaths(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: describeOperation(operation) };
  }
  return paths;
}

function describeOperation(operation: Operation): object {
  const { id, tag, summary, description, access = 'public', body, contentType = 'application/json' } = operation;
  const answer = refer(operation.answer);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: securityOf(access),
    parameters: [...describeParameters('path', operation.params), ...describeParameters('query', operation.query)],
    ...(body && {
      requestBody: {
        required: operation.isBodyOptional !== true,
        content: { 'application/json': { schema: refer(body), example: exampleOf(toJsonSchema(body)) } },
      },
    }),
    responses: {
      200: {
        description: 'OK',
        content: { [contentType]: { schema: answer, example: exampleOf(toJsonSchema(operation.answer)) } },
      },
      ...describeErrors(operation),
    },
  };
}

function securityOf(access: Access): object[] {
  if (access === 'token') return [{ bearer: [] }, {}];
  return access === 'key' ? [{ bearer: [] }] : [];
}

function describeParameters(place: 'path' | 'query', parameters: Readonly<Record<string, Parameter>> = {}): object[] {
  return Object.entries(parameters).map(([name, { schema, description, required = false }]) => ({
    name,
    in: place,
    required: place === 'path' || required,
    description,
    schema: toJsonSchema(schema),
  }));
}

function errorsOf({ access = 'public', params, query, body, errors = [] }: Operation): readonly ErrorCode[] {
  const needsToken = access === 'token' || access === 'key';
  return [
    ...(params || query || body ? WITH_INPUT : []),
    ...(body ? WITH_BODY : []),
    ...(needsToken ? WITH_TOKEN : []),
    ...errors,
    ...EVERYWHERE,
  ];
}

/** One response a status, naming every code that can come with it. */
function describeErrors(operation: Operation): object {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(errorsOf(operation))) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const isRelayer = operation.path.startsWith('/api/v1/relayer/');
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].error}. ${ERRORS[code].remedy}`).join('\n\n'),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${isRelayer ? 'RelayerErrorBody' : 'ErrorBody'}` },
            examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code, isRelayer) }])),
          },
        },
      },
    ]),
  );
}

function errorExample(code: ErrorCode, isRelayer: boolean): object {
  const body = { error: ERRORS[code].error, code, requestId: '3f2a0c1e-9d5b-4f6e-8a7c-1b2d3e4f5a6b' };
  return isRelayer ? { success: false, ...body } : body;
}

function componentErrors(): object {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([code, { status, error, remedy, retryable }]) => [
      code,
      { description: `${error}. ${remedy}`, 'x-status': status, 'x-retryable': retryable },
    ]),
  );
}

function componentSchemas(): object {
  return Object.fromEntries([...NAMES].map(([schema, name]) => [name, members(schema as TSchema)]));
}

/** By name where it has one. */
function refer(schema: TSchema): object {
  const name = NAMES.get(schema);
  return name === undefined ? members(schema) : { $ref: `#/components/schemas/${name}` };
}

/** The schema itself, with its named members by reference. */
function members(schema: TSchema): object {
  return toJsonSchema(referMembers(schema) as TSchema);
}

function referMembers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(referInside);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, referInside(value)]));
}

function referInside(node: unknown): unknown {
  const name = NAMES.get(node);
  return name === undefined ? referMembers(node) : { $ref: `#/components/schemas/${name}` };
}
