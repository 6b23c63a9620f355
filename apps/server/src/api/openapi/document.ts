// Builds the OpenAPI 3.1 document on first request: every endpoint, named schemas and every error.

import {
  DOMAIN_OF_TYPE,
  ERRORS,
  type ErrorCode,
  OPERATION_TYPES,
  ORDER_TYPES,
  toInputSchema,
  toJsonSchema,
} from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import { IsSchema, type TSchema } from 'typebox';
import type { Access, Endpoint } from '../endpoint.ts';
import type { QueryParameter, TextKind } from '../parameters.ts';
import { answersOf, bodiesOf, RECORDED_NOTE, requestsOf } from './recorded.ts';

/** A part of the document. */
type Json = Readonly<Record<string, unknown>>;

const EVERYWHERE: readonly ErrorCode[] = ['host_not_allowed', 'rate_limited', 'recovering', 'overloaded', 'internal'];
const WITH_INPUT: readonly ErrorCode[] = ['invalid_field'];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'unsupported_media_type', 'body_too_large'];
const OF_WRITES: readonly ErrorCode[] = ['origin_not_allowed'];
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

/** Named schemas of the wire, and of bodies that bring their own name. */
const NAMES = new Map<unknown, string>();
/** Schemas of input: bodies and their parts. */
const INPUTS = new Set<unknown>();
for (const [name, value] of Object.entries(wire))
  if (/^[A-Z][a-z]/.test(name) && IsSchema(value)) NAMES.set(value, name);

/** Description of the operator's document. */
export const OPERATOR_DOCUMENT = {
  title: 'Presage for operators',
  description:
    'What operators do: markets, categories, pauses and halts, wallets, failures, keys, and the log of who did what. ' +
    'Every request under /admin/v1 needs a bearer token of an operator key, made as those of the public API, whose payload also has ' +
    '`service` (of /api/v1/config), `method`, `path` (with its query) and `bodyHash` (SHA-256 of the body in hex): it is good for that one request. ' +
    'In the live profile it is served on the admin listener only.',
};

interface Introduction {
  readonly title: string;
  readonly description: string;
}

export function createDocument(version: string, endpoints: readonly Endpoint[], about: Introduction = PUBLIC): Json {
  for (const { body } of endpoints) {
    if (body?.name !== undefined) NAMES.set(body.schema, body.name);
    addInputs(body?.schema);
  }
  const paths = toPaths(endpoints);
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service' },
      description: about.description,
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    components: { securitySchemes: SECURITY, schemas: schemasIn(paths) },
    'x-errors': describeCatalogue(),
    'x-eip712': { types: { ...ORDER_TYPES, ...OPERATION_TYPES }, signingDomains: DOMAIN_OF_TYPE },
  };
}

const PUBLIC: Introduction = {
  title: 'Presage',
  description:
    'An exchange for binary prediction markets: signed orders, price-time matching, settlement on chain, a gasless relayer. ' +
    'Prices, sizes and amounts are integers with 6 decimals: 1000000 is 1.00. Integers may be sent as numbers or decimal strings, and are answered digit-exact.\n\n' +
    RECORDED_NOTE,
};

const TAGS: Readonly<Record<string, string>> = {
  Orders: 'Signed orders: place, check, look up, cancel.',
  Markets: 'Markets, their books, figures and candles.',
  Trades: 'Matches and what became of them on chain.',
  'Quick markets': '15-minute markets on the direction of a price, and the prices that decide them.',
  Wallets: 'What a wallet holds, has allowed, can pay and can claim.',
  Relayer: 'Signed requests that are sent as transactions: no wallet needs gas.',
  Resolution: 'How a market gets its outcome, and claims on it.',
  'API keys': 'Keys for bearer tokens, registered by a wallet.',
  Service: 'What is served, how it is, and its clock.',
  Sandbox: 'Controls that exist in a sandbox only.',
  Operator: 'What operators do, and what they see of it.',
};

const SECURITY = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'base64url(payload).base64url(signature), single-use: payload {kid, ts, n}, signed with the Ed25519 key of POST /api/v1/api-keys.',
  },
};

function toPaths(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: describeEndpoint(endpoint) };
  }
  return paths;
}

function describeEndpoint(endpoint: Endpoint): Json {
  const { id, tag, summary, description, access = 'public', right, body, contentType = 'application/json' } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description ?? `${summary}.`}${right === undefined ? '' : ` Needs the right \`${right}\`.`}`,
    security: securityOf(access),
    parameters: [
      ...Object.entries(endpoint.params ?? {}).map(describePathParameter),
      ...Object.entries(endpoint.query ?? {}).map(describeQueryParameter),
    ],
    ...(body && {
      requestBody: {
        required: body.isOptional !== true,
        content: { 'application/json': { schema: refer(body.schema), ...bodiesOf(id) } },
      },
    }),
    responses: {
      200: { description: 'OK', content: { [contentType]: { schema: refer(endpoint.answer), ...answersOf(id, 200) } } },
      ...(endpoint.approvalFor && {
        202: {
          description: 'Not done yet: another operator confirms it',
          content: { 'application/json': { schema: refer(wire.ApprovalAsked), ...answersOf(id, 202) } },
        },
      }),
      ...describeErrors(endpoint),
    },
    ...requestsOf(id),
  };
}

function securityOf(access: Access): Json[] {
  if (access === 'token' || access === 'identity') return [{ bearer: [] }, {}];
  return access === 'key' || access === 'operator' ? [{ bearer: [] }] : [];
}

function describePathParameter([name, { schema, description }]: [string, TextKind<unknown>]): Json {
  return { name, in: 'path', required: true, description, schema: toJsonSchema(schema) };
}

function describeQueryParameter([name, parameter]: [string, QueryParameter<unknown>]): Json {
  const { schema, description, isRequired } = parameter;
  return { name, in: 'query', required: isRequired, description, schema: toJsonSchema(schema) };
}

function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const { method, access = 'public', right, params, query, body, errors = [] } = endpoint;
  const needsToken = access === 'token' || access === 'key' || access === 'identity' || access === 'operator';
  return [
    ...(params || query || body ? WITH_INPUT : []),
    // One that needs no body refuses a malformed one all the same.
    ...(body || method !== 'get' ? WITH_BODY : []),
    ...(needsToken ? WITH_TOKEN : []),
    ...(access === 'operator' ? (['token_for_other_request'] as const) : []),
    ...(right === undefined ? [] : (['right_missing'] as const)),
    ...errors,
    ...(method === 'get' ? [] : OF_WRITES),
    ...EVERYWHERE,
  ];
}

/** One response per status, with every error code of that status. */
function describeErrors(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(errorsOf(endpoint))) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const isRelayer = endpoint.path.startsWith('/api/v1/relayer/');
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].error}. ${ERRORS[code].remedy}`).join('\n\n'),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${isRelayer ? 'RelayerErrorBody' : 'ErrorBody'}` },
            ...answersOf(endpoint.id, status),
          },
        },
      },
    ]),
  );
}

function describeCatalogue(): Json {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([code, { status, error, remedy, retryable }]) => [
      code,
      { description: `${error}. ${remedy}`, 'x-status': status, 'x-retryable': retryable },
    ]),
  );
}

/** All named schemas that these paths use; schemas of the streams are in the AsyncAPI document. */
function schemasIn(paths: Json): Json {
  const all = new Map([...NAMES].map(([schema, name]) => [name, members(schema)]));
  const used = new Set<string>();
  const follow = (node: unknown): void => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(all.get(name));
    }
  };
  follow(paths);
  return Object.fromEntries([...all].filter(([name]) => used.has(name)));
}

/** A reference for a named schema, otherwise the schema itself. */
function refer(schema: TSchema): Json {
  const name = NAMES.get(schema);
  return name === undefined ? members(schema) : { $ref: `#/components/schemas/${name}` };
}

/** The schema itself, with its named members by reference. */
function members(schema: unknown): Json {
  const named = referMembers(schema);
  return INPUTS.has(schema) ? toInputSchema(named) : toJsonSchema(named);
}

function addInputs(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null || INPUTS.has(schema)) return;
  INPUTS.add(schema);
  for (const part of Object.values(schema)) addInputs(part);
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
