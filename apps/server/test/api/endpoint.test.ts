// One definition of an endpoint: what its handler gets, what is refused before it, and what does not compile.

import { PresageError, ServiceTime, Uint64Input } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from '../../src/api/bodies.ts';
import { type Endpoint, endpoint, routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { createDocument } from '../../src/api/openapi/document.ts';
import {
  CHAIN_ID,
  limitUpTo,
  MARKET_ID,
  OUTCOME,
  optional,
  required,
  WALLET,
  withDefault,
} from '../../src/api/parameters.ts';

const ID = `0x${'Ab'.repeat(32)}`;
const TRADER = `0x${'Ab'.repeat(20)}`;

const ECHO = endpoint({
  method: 'post',
  path: '/echo/:marketId',
  id: 'echo',
  tag: 'Test',
  summary: 'Says what it was given',
  params: { marketId: MARKET_ID },
  query: {
    trader: required(WALLET),
    chain_id: optional(CHAIN_ID),
    outcome: optional(OUTCOME),
    limit: withDefault(limitUpTo(10, 5), 5),
  },
  body: bodyOf(Type.Object({ amount: Uint64Input, note: Type.Optional(Type.String()) })),
  answer: Type.Object({ said: Type.Unknown() }),
  errors: ['market_not_found'],
  handle: async ({ params, query, body, wallet }) => ({ said: { ...params, ...query, ...body, wallet } }),
});

/** The refusal of a permit that comes with an order: the budget is the relayer's, the endpoint is not. */
const SPENT = endpoint({
  method: 'get',
  path: '/spent',
  id: 'spent',
  tag: 'Test',
  summary: 'Is refused until the budget is refilled',
  answer: Type.Object({}),
  errors: ['relayer_budget_spent'],
  handle: async () => {
    throw new PresageError('relayer_budget_spent', { what: 'gas', perHour: 5, retryAfterSeconds: 90 });
  },
});

const listener = new HttpListener();
let url: string;
beforeAll(async () => {
  url = await listener.listen(0, '127.0.0.1');
  const log = SILENT_LOG;
  const options = { listener, log, onAnswer: () => undefined, rateLimits: false, corsOrigins: '*' } as const;
  openHttpServer(options, [routesOf([ECHO, SPENT])]);
});
afterAll(() => listener.close());

async function post(path: string, body: string) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/echo/${path}`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

describe('an endpoint', () => {
  it.each(['11', '18446744073709551616', '9'.repeat(400)])('clamps the limit %s', async (limit) => {
    const { text } = await post(`${ID}?trader=${TRADER}&limit=${limit}`, '{"amount":1}');
    expect(JSON.parse(text).said.limit).toBe(10);
  });

  it('gives its handler checked values: ids in lower case, integers without a lost digit, defaults, a clamped limit', async () => {
    const long = await post(`${ID}?trader=${TRADER}&chain_id=7&outcome=no&limit=99`, '{"amount":18446744073709551615}');
    expect(long.text).toBe(
      `{"said":{"marketId":"${ID.toLowerCase()}","trader":"${TRADER.toLowerCase()}","chain_id":7,"outcome":1,"limit":10,"amount":18446744073709551615}}`,
    );
    const short = await post(`${ID}?trader=${TRADER}&chain_id=`, '{"amount":"1","unknown":2}');
    expect(JSON.parse(short.text).said).toMatchObject({ limit: 5, amount: '1' });
  });

  it('takes null for an optional field of its body as absent, says so, and refuses it for a required one', async () => {
    const { text } = await post(`${ID}?trader=${TRADER}`, '{"amount":"1","note":null}');
    expect(JSON.parse(text).said).not.toHaveProperty('note');
    expect((await post(`${ID}?trader=${TRADER}`, '{"amount":null}')).status).toBe(400);
    const document = JSON.parse(JSON.stringify(createDocument('1', [ECHO])));
    const { schema } = document.paths['/echo/{marketId}'].post.requestBody.content['application/json'];
    expect(schema.properties.note).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] });
  });

  /** The first row is wrong everywhere; each of the next fixes the field that the row before was refused for. */
  it.each([
    ['zz?trader=1&trader=2&chain_id=x&outcome=2&limit=0', '{}', 'marketId', '0x and 64 hex digits'],
    [`${ID}?trader=1&trader=2&chain_id=x&outcome=2&limit=0`, '{}', 'trader', 'one value'],
    [`${ID}?trader=&chain_id=x&outcome=2&limit=0`, '{}', 'trader', 'an address: 0x and 40 hex digits'],
    [`${ID}?trader=${TRADER}&chain_id=x&outcome=2&limit=0`, '{}', 'chain_id', 'an integer'],
    [`${ID}?trader=${TRADER}&outcome=2&limit=0`, '{}', 'outcome', 'YES or 0, NO or 1'],
    [`${ID}?trader=${TRADER}&limit=0`, '{}', 'limit', 'an integer of at least 1'],
    [`${ID}?trader=${TRADER}&limit=1.5`, '{}', 'limit', 'an integer of at least 1'],
    [`${ID}?trader=${TRADER}`, '{}', 'amount', 'an integer from 0 to 2^64-1, as a number or a decimal string'],
  ])('refuses %s %s for %s', async (path, body, field, expected) => {
    const { status, text } = await post(path, body);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid_field', details: { field, expected } });
  });

  it('says in Retry-After for how long its refusal asks to wait', async () => {
    const { status, headers } = await fetch(`${url}/spent`);
    expect([status, headers.get('retry-after')]).toEqual([429, '90']);
  });

  it('is documented from the same definition, with the errors that its kind can answer', () => {
    const document = JSON.parse(JSON.stringify(createDocument('1', [ECHO])));
    const { parameters, responses } = document.paths['/echo/{marketId}'].post;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      'marketId',
      'trader',
      'chain_id',
      'outcome',
      'limit',
    ]);
    expect(Object.keys(responses)).toEqual(['200', '400', '403', '404', '413', '415', '425', '429', '500', '503']);
  });

  it('does not compile with an answer that lacks a field, has a wrong one, or has one too many', () => {
    const time = {
      method: 'get',
      path: '/time',
      id: 'time',
      tag: 'Test',
      summary: 'Time',
      answer: ServiceTime,
    } as const;
    const endpoints: Endpoint[] = [
      endpoint({ ...time, handle: async () => ({ now: 1, nowMs: 1 }) }),
      // @ts-expect-error: nowMs is missing
      endpoint({ ...time, handle: async () => ({ now: 1 }) }),
      // @ts-expect-error: nowMs is a number
      endpoint({ ...time, handle: async () => ({ now: 1, nowMs: '1' }) }),
      // @ts-expect-error: later is not in the schema
      endpoint({ ...time, handle: async () => ({ now: 1, nowMs: 1, later: 2 }) }),
    ];
    expect(endpoints.length).toBe(4);
  });
});
