// The documentation against the service: every relied-on path, real answers against their schemas, broken requests.
import { ERRORS, type ErrorCode } from '@presage/protocol';
import { isLongRun, QUICK_MARKETS, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from '../e2e/exchange.ts';
import type { ErrorReply } from '../e2e/wire.ts';
import { type GoodValues, malformedRequests, urlOf } from './malformed-requests.ts';
import { type PublishedOperation, readPublishedApi, schemaFaults } from './published-api.ts';
import { expectRecordedAnswers } from './recorded-examples.ts';
import { SPECIFIED_ROUTES } from './specified-routes.ts';

const [maker, taker] = [walletOf('published maker'), walletOf('published taker')];
const NOBODY = walletOf('nobody who ever traded').address;

let exchange: Exchange;
let api: Awaited<ReturnType<typeof readPublishedApi>>;
let empty: GoodValues;
let busy: GoodValues;

beforeAll(async () => {
  // The keeper would settle and void what the examples settle themselves.
  exchange = await Exchange.open({ env: { ...QUICK_MARKETS, PRESAGE_KEEPER: 'off' } });
  api = await readPublishedApi(exchange.client);
});
afterAll(() => exchange?.close());

/** Traded in after the recorded examples, which are of a fresh sandbox. */
async function makeMarkets(): Promise<void> {
  // The examples travelled in time, and orders are signed by the clock that a client found when it was opened.
  exchange = await exchange.on(exchange.client.domain.chainId);
  const [quiet, traded] = [await exchange.newMarket('Is it empty?'), await exchange.newMarket('Is it busy?')];
  const { orderHash } = await exchange.client.order(maker, {
    market: traded.id,
    side: 'sell',
    price: '0.55',
    size: '9',
  });
  await exchange.client.order(taker, { market: traded.id, side: 'buy', price: '0.60', size: '4' });
  await exchange.client.order(taker, { market: traded.id, side: 'buy', outcome: 'NO', price: '0.20', size: '4' });
  await exchange.settled();
  const [trade] = await exchange.trades(traded.id);
  const { chainId, stablecoin } = (await exchange.client.read<{ chains: ConfigChain[] }>('/api/v1/config')).chains[0]!;
  const shared = {
    chain_id: String(chainId),
    contract: stablecoin.address,
    hash: orderHash,
    asset: 'BTC',
    day: '2026-01-31',
  };
  const unknown = `0x${'00'.repeat(32)}`;
  empty = { ...shared, ...namesOf(quiet.id, NOBODY), id: quiet.id, txHash: unknown };
  busy = { ...shared, ...namesOf(traded.id, taker.address), id: traded.id, txHash: trade!.txHash };
}

interface ConfigChain {
  readonly chainId: number;
  readonly stablecoin: { readonly address: string };
}

function namesOf(market: string, wallet: string): GoodValues {
  return {
    marketId: market,
    market,
    markets: market,
    marketAddress: market,
    address: wallet,
    user: wallet,
    trader: wallet,
    owner: wallet,
    userAddress: wallet,
    index: '0',
    size: '1000000',
  };
}

const READS_WITHOUT_JSON = ['text/plain', 'text/csv', 'text/event-stream', 'application/x-websocket-frame'];

describe('the published API', () => {
  it('is OpenAPI 3.1 with an operation id, an answer and an example for everything served', () => {
    expect(api.document.openapi).toBe('3.1.0');
    expect(api.document['x-undocumented']).toBeUndefined();
    expect(new Set(api.operations.map(({ id }) => id)).size).toBe(api.operations.length);
    for (const { id, statuses } of api.operations) expect(statuses, id).toContain('429');
  });

  it.each(SPECIFIED_ROUTES)('has %s %s', (method, path) => {
    const shapeOf = (text: string) => text.replaceAll(/\{\w+\}/g, '{}');
    const found = api.operations.find(
      (each) => each.method === method.toLowerCase() && shapeOf(each.path) === shapeOf(path),
    );
    expect(found, `${method} ${path}`).toBeDefined();
  });

  it('keeps every example true to its schema', () => {
    for (const [path, methods] of Object.entries(api.document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        for (const content of [requestBody?.content, responses['200']?.content]) {
          const { schema, examples } = content?.['application/json'] ?? {};
          if (schema === undefined) continue;
          const operation = api.operations.find((each) => each.path === path && each.method === method)!;
          const whole = content === requestBody?.content ? operation.body! : operation.answer;
          // What a fresh sandbox cannot have yet is shown by its refusal.
          const shown = examples ?? responses['404']?.content?.['application/json']?.examples;
          expect(Object.keys(shown ?? {}).length, `${method} ${path}`).toBeGreaterThan(0);
          for (const { value } of Object.values(examples ?? {}))
            expect(schemaFaults(whole, value), `${method} ${path}`).toEqual([]);
        }
      }
    }
  });

  it('posting each example literally answers as the document shows', async () => {
    await expectRecordedAnswers(exchange.client, api.document);
  });
});

describe('a service in use', () => {
  beforeAll(makeMarkets);

  it.each(['empty', 'busy'])('describes every answer to a read: %s market', async (which) => {
    const reads = api.operations.filter(
      ({ method, contentType }) => method === 'get' && !READS_WITHOUT_JSON.includes(contentType),
    );
    const faults: string[] = [];
    for (const operation of reads) faults.push(...(await readFaults(operation, which === 'empty' ? empty : busy)));
    expect(faults).toEqual([]);
    expect(reads.length).toBeGreaterThan(25);
  });

  describe('malformed requests made from the schemas', () => {
    it('are each refused with 4xx, a code of the catalogue and the request id; none fails inside', async () => {
      const faults: string[] = [];
      const all = api.operations.flatMap((operation) => [...malformedRequests(operation, busy)]);
      // Each parameter and field is broken in about ten ways, of which every fifth is enough at CI size: still others for the next one.
      const sent = all.filter((_, index) => isLongRun || index % 5 === 0);
      for (const { name, operation, method, path, text, headers } of sent) {
        const extras = { ...(text !== undefined && { text }), ...(headers && { headers }) };
        const answer = await exchange.client.send<ErrorReply>(method, path, extras);
        const fault = refusalFault(operation, answer);
        if (fault !== undefined) faults.push(`${name}: ${fault}`);
      }
      expect(faults).toEqual([]);
      expect(sent.length).toBeGreaterThan(300);
      expect((await exchange.client.get('/ready')).status).toBe(200);
      process.stderr.write(`${sent.length} malformed requests were refused\n`);
    });
  });
});

/** 404 is an answer too, where the value names nothing. */
async function readFaults(operation: PublishedOperation, good: GoodValues): Promise<string[]> {
  const path = urlOf(operation, good);
  const { status, body } = await exchange.client.get<ErrorReply>(path);
  if (status === 404 && ERRORS[body.code as ErrorCode]?.status === 404) return [];
  if (status !== 200) return [`${path}: ${status} ${JSON.stringify(body)}`];
  return schemaFaults(operation.answer, body).map((fault) => `${path}: ${fault}`);
}

/** A trial reports its faults with 200: that is what it is for. */
function refusalFault({ id }: PublishedOperation, { status, headers, body }: Refusal): string | undefined {
  if (id === 'validateOrder' && status === 200 && (body.errors?.length ?? 0) > 0) return undefined;
  if (status < 400 || status >= 500) return `${status} ${JSON.stringify(body)?.slice(0, 200)}`;
  if (ERRORS[body.code as ErrorCode] === undefined) return `code ${body.code}`;
  if (ERRORS[body.code as ErrorCode].status !== status) return `${status} with ${body.code}`;
  if (body.requestId === undefined || body.requestId !== headers.get('x-request-id')) return 'no request id';
  return body.error.length > 0 ? undefined : 'no text';
}

interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ErrorReply & { readonly errors?: readonly unknown[] };
}
