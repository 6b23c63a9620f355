// Events that operators make and change: what is done to one is done to each of its markets.
import { createSandboxClient } from '@presage/sdk';
import { createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { EventBody, MarketBody } from './wire.ts';

const OUTCOMES = Array.from({ length: 25 }, (_, index) => `Boat ${index}`);
const DAY = 86_400;
let exchange: Exchange;
let operator: OperatorClient;
let eventId: string;
let markets: MarketBody[];

async function openOperator(): Promise<void> {
  const { url } = exchange.client;
  operator = createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey(), retries: 0 });
}

beforeAll(async () => {
  exchange = await Exchange.open();
  await openOperator();
});
afterAll(() => exchange?.close());

const readEvent = () =>
  exchange.client.read<{ question: string; status: string; outcomes: { marketId: string }[] }>(
    `/api/v1/events/${eventId}`,
  );
const readMarkets = async () => {
  const { outcomes } = await readEvent();
  return Promise.all(outcomes.map(({ marketId }) => exchange.client.read<MarketBody>(`/api/v1/markets/${marketId}`)));
};

describe('an event of an operator', () => {
  it('is created once under a key, in as many transactions as it takes', async () => {
    const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
    const terms = { question: 'Which boat wins?', source: 'https://boats.example', outcomes: OUTCOMES, key: 'regatta' };
    const first = await operator.createEvent({ ...terms, expiration: now + DAY });
    expect(first).toMatchObject({ listed: true, created: true });
    eventId = first.eventId;
    expect(await operator.createEvent({ ...terms, expiration: now + DAY })).toEqual({ ...first, created: false });
    markets = await readMarkets();
    expect(markets.map(({ question }) => question)).toEqual(OUTCOMES.map((name) => `Which boat wins?: ${name}`));
    expect(markets[24]).toMatchObject({ source: 'https://boats.example', event: { id: eventId, index: 24 } });
  });

  it('is refused with names that cannot be told apart', async () => {
    const asked = operator.createEvent({ question: 'Who?', outcomes: ['Ann', 'ann'], expiration: 4_000_000_000 });
    await expect(asked).rejects.toMatchObject({ code: 'invalid_field', details: { field: 'outcomes.1' } });
  });

  it('is reworded in all its markets until the first trade', async () => {
    const reworded = await operator.editEvent(eventId, { question: 'Which boat is first?' }, { reason: 'clearer' });
    expect(reworded.question).toBe('Which boat is first?');
    expect((await readMarkets())[3]!.question).toBe('Which boat is first?: Boat 3');
  });

  it('is paused, resumed and closed as a whole', async () => {
    const order = { market: markets[7]!.id, side: 'buy', price: '0.1', size: '1' } as const;
    const trader = walletOf('sailor');
    await operator.pauseEvent(eventId, true, { reason: 'storm' });
    const refused = await exchange.client.order(trader, order).catch((error: Error) => error.message);
    expect(JSON.stringify(refused)).toContain('market_paused');
    await operator.pauseEvent(eventId, false);
    await exchange.client.order(trader, order);
    await operator.closeEvent(eventId, { reason: 'storm' });
    await expect(operator.closeEvent(eventId)).rejects.toMatchObject({ code: 'market_closed' });
    expect((await readMarkets()).every(({ status }) => status !== 'open')).toBe(true);
  });
});

describe('an event of which a part is listed when the service is killed', () => {
  const question = 'Which boat sinks?';
  const outcomes = Array.from({ length: 45 }, (_, index) => `Raft ${index}`);
  const find = async () => {
    const { events } = await exchange.client.read<{ events: EventBody[] }>('/api/v1/events?search=sinks');
    return events.find((event) => event.question === question);
  };

  it('is listed to its end after the start, and is one event', async () => {
    const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
    const terms = { question, outcomes, key: 'sinking', expiration: now + DAY };
    await exchange.chain.setFaults({ mining: 'held' });
    const asked = operator.createEvent(terms).catch(() => undefined);
    // Nothing more is mined then: on a slow machine the next part would be listed between two looks.
    await waitFor('the first part is listed', async () => {
      const { length: listed } = (await find())?.outcomes ?? [];
      if (listed === 0) await exchange.chain.mine();
      return listed > 0;
    });
    await exchange.sandbox.killGroup();
    await asked;
    exchange = await exchange.reopen();
    await openOperator();
    const event = await waitFor('all outcomes are listed', async () => {
      const found = await find();
      return found?.outcomes.length === outcomes.length && found;
    });
    expect(event.outcomes.map(({ name }) => name)).toEqual(outcomes);
    const again = await operator.createEvent(terms);
    expect(again).toMatchObject({ eventId: event.id, listed: true, created: false });
    const { events } = await exchange.client.read<{ events: EventBody[] }>('/api/v1/events?search=sinks');
    expect(events).toHaveLength(1);
  });
});
