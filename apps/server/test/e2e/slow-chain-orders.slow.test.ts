// Orders that need no word of the chain do not wait behind those that do, however slow it is and however many there are.
import { request } from 'node:http';
import { LIMITS, stringifyJson } from '@presage/protocol';
import { walletOf } from '@presage/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

type Submission = Awaited<ReturnType<Exchange['client']['signOrder']>>;

/** Twice as many as have their turn at a time. */
const STRANGERS = 2 * LIMITS.ordersUnderWay;
const SLOW_MS = 3_000;
const STRANGER = '127.0.0.66';
const trader = walletOf('trader on a slow chain');
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open();
  market = await exchange.newMarket('Who waits for the chain?');
});
afterAll(() => exchange?.close());

function signBid(): Promise<Submission> {
  return exchange.client.signOrder(trader, { market: market.id, side: 'buy', price: '0.4', size: '10' });
}

/** A key's signature that is not the trader's: a contract at the trader's address might stand by it, which only the chain knows. */
async function signForSomebodyElse(index: number): Promise<Submission> {
  const { order, ...signed } = await signBid();
  return { ...signed, order: { ...order, trader: walletOf(`somebody else ${index}`).address } };
}

/** The status of an answer to somebody at an address of his own. */
function post(order: Submission, localAddress: string): Promise<number> {
  const { hostname: host, port } = new URL(exchange.sandbox.url);
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const posted = request({ host, port, localAddress, headers, path: '/api/v1/orders', method: 'POST' }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
    });
    posted.on('error', reject).end(stringifyJson(order));
  });
}

it('a stranger whose orders wait for a slow chain keeps nobody from trading', async () => {
  const strange = await Promise.all(Array.from({ length: STRANGERS }, (_, index) => signForSomebodyElse(index)));
  await exchange.client.post('/sandbox/faults', { chain: 'slow', slowMs: SLOW_MS });
  const begun: number[] = [];
  const refused = strange.map(async (order) => begun.push(await post(order, STRANGER)));
  const own: number[] = [];
  for (let count = 0; count < 10; count++) {
    // None of the strange ones may make room by its end.
    expect(begun).toEqual([]);
    own.push(await post(await signBid(), '127.0.0.1'));
  }
  expect(own).toEqual(Array(10).fill(200));
  await Promise.all(refused);
  expect(begun).toEqual(Array(STRANGERS).fill(400));
  await exchange.client.post('/sandbox/faults', { chain: 'up' });
});
