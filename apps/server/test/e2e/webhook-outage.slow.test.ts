// A receiver of webhooks that fails for hours of the service's clock, while trades settle and the service is killed, is told everything.
import { createServer, type Server } from 'node:http';
import { portOf } from '@presage/runtime/node';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGenuine } from '../../../../examples/operator/webhook-receiver.ts';
import { Decisions } from './decisions.ts';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

const SECRET = 'a secret of two programs';
const QUARTER_SECONDS = 900;
/** Time in which a proposal can be disputed, and some more. */
const WINDOW_SECONDS = 7_200 + 60;
const TRADES_A_QUARTER = 3;
/** Attempts are up to a minute apart by then; what they wait for is there long before. */
const PATIENCE = { timeoutMs: 180_000 };
const [buyer, seller] = [walletOf('outage buyer'), walletOf('outage seller')];

interface Told {
  readonly id: string;
  readonly topic: string;
  readonly seq: number;
  readonly data: { readonly marketId: string; readonly txHash?: string };
}

let receiver: Server;
let receiverStatus = 200;
let attempts = 0;
/** Events that were taken, repetitions included. */
const told: Told[] = [];
let env: Readonly<Record<string, string>>;
let exchange: Exchange;
let decisions: Decisions;
let markets: MarketBody[];

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    attempts++;
    const isSigned = isGenuine(request.headers['x-presage-signature'], body, SECRET);
    const status = isSigned ? receiverStatus : 401;
    if (status === 200) told.push(JSON.parse(body) as Told);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  env = {
    PRESAGE_WEBHOOK_URL: `http://127.0.0.1:${portOf(receiver)}`,
    PRESAGE_WEBHOOK_SECRET: SECRET,
    PRESAGE_WEBHOOK_TOPICS: 'trade_settled,market_resolved',
  };
  exchange = await Exchange.open({ env });
  decisions = await Decisions.open(exchange);
  const long = await exchange.newMarket('Does the receiver come back?');
  markets = [long, await exchange.newMarket('Does it come back within half an hour?', 2 * QUARTER_SECONDS)];
});
afterAll(async () => {
  await exchange?.close();
  receiver?.closeAllConnections();
  receiver?.close();
});

async function trade(market: MarketBody): Promise<void> {
  const terms = { market: market.id, price: '0.4', size: '1' };
  await exchange.client.order(buyer, { ...terms, side: 'buy' });
  await exchange.client.order(seller, { ...terms, side: 'sell' });
}

/** Trades settle, then a quarter of an hour passes on the clocks of service and chain. */
async function liveAQuarter(open: readonly MarketBody[]): Promise<void> {
  for (let count = 0; count < TRADES_A_QUARTER; count++) for (const market of open) await trade(market);
  await exchange.settled();
  await decisions.travel(QUARTER_SECONDS);
}

async function killAndReopen(): Promise<void> {
  const before = attempts;
  await exchange.sandbox.killGroup();
  exchange = await exchange.reopen({ env });
  decisions = await Decisions.open(exchange);
  await waitFor('an attempt of the new process', () => attempts > before, PATIENCE);
}

/** Transactions in which trades settled, one for each trade, in no order. */
async function settledTransactions(): Promise<string[]> {
  const lists = await Promise.all(markets.map(({ id }) => exchange.trades(id)));
  return lists.flat().map(({ txHash }) => String(txHash));
}

describe('a receiver of webhooks that fails for three hours, with the service killed in between', () => {
  it('is told every event once it answers, in order for each topic, and what it is told twice has the same id', async () => {
    await liveAQuarter(markets);
    await waitFor('the first trades are told', () => told.length >= 2 * TRADES_A_QUARTER, PATIENCE);
    receiverStatus = 500;
    const [long, short] = markets;
    if (long === undefined || short === undefined) throw new Error('two markets were made');
    await liveAQuarter(markets);
    await killAndReopen();
    await liveAQuarter([long]);
    await decisions.propose(short, buyer, true);
    await decisions.travel(WINDOW_SECONDS);
    await decisions.becomes(short, 'resolved');
    await liveAQuarter([long]);
    expect(told).toHaveLength(2 * TRADES_A_QUARTER);

    receiverStatus = 200;
    const expected = await settledTransactions();
    expect(expected).toHaveLength(6 * TRADES_A_QUARTER);
    const distinct = () => new Map(told.map((event) => [event.id, event]));
    await waitFor('every event is told', () => distinct().size > expected.length, PATIENCE);

    const events = [...distinct().values()];
    const trades = events.filter(({ topic }) => topic === 'trade_settled');
    expect(trades.map(({ data }) => String(data.txHash)).sort()).toEqual(expected.sort());
    const resolved = events.filter(({ topic }) => topic === 'market_resolved');
    expect(resolved.map(({ data }) => data.marketId)).toEqual([short.id]);
    for (const feed of new Set(events.map(feedOf))) {
      const seqs = events.filter((event) => feedOf(event) === feed).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    }
  });
});

/** A topic of a partition: what is told in order. */
function feedOf({ id }: Told): string {
  return id.slice(0, id.lastIndexOf(':'));
}
