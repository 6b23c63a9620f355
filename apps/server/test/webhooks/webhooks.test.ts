// Webhooks over the real journal and HTTP: a receiver that fails for an hour and a killed service lose nothing.
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectGarbage, portOf } from '@presage/runtime/node';
import { SeededRandom, SILENT_LOG, seedFromEnv, TEST_MARKET, waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isGenuine } from '../../../../examples/operator/webhook-receiver.ts';
import { createWebhookSender, signWebhook } from '../../src/webhooks/webhook-sender.ts';
import { WebhookStore } from '../../src/webhooks/webhook-store.ts';
import { Webhooks, type WebhooksOptions } from '../../src/webhooks/webhooks.ts';
import { RandomFlow } from '../stream/random-flow.ts';
import { openStreamFixture, type StreamFixture } from '../stream/stream-fixture.ts';

const SECRET = 'a secret of the tests';
const HOUR_MS = 3_600_000;
const seed = seedFromEnv(12);

interface Received {
  readonly id: string;
  readonly topic: string;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

let fixture: StreamFixture;
let flow: RandomFlow;
let folder: string;
let receiver: Server;
let url: string;
let received: Received[];
/** Status of the answer to an event; nothing is noted unless it is 200. */
let statusFor: (event: Received) => number;
let attempts: number;
let nowMs: number;
let opened: Webhooks[];
let alarms: string[];

beforeEach(async () => {
  fixture = await openStreamFixture();
  flow = new RandomFlow(fixture, seed);
  folder = await mkdtemp(join(tmpdir(), 'presage-webhooks-'));
  received = [];
  statusFor = () => 200;
  attempts = 0;
  nowMs = 1_900_000_000_000;
  opened = [];
  alarms = [];
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    attempts += 1;
    const isSigned = isGenuine(request.headers['x-presage-signature'], body, SECRET, nowMs / 1_000);
    const event = JSON.parse(body) as Received;
    const status = isSigned ? statusFor(event) : 401;
    if (status === 200) received.push(event);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${portOf(receiver)}`;
});
afterEach(async () => {
  await Promise.all(opened.map((webhooks) => webhooks.close()));
  receiver.closeAllConnections();
  receiver.close();
  await fixture.close();
  await rm(folder, { recursive: true });
});

async function openWebhooks(options: Partial<WebhooksOptions> & { readonly file?: string } = {}): Promise<Webhooks> {
  const { file = 'webhooks.json', ...others } = options;
  const store = await WebhookStore.open(join(folder, file), (error) => {
    throw error;
  });
  const webhooks = new Webhooks({
    send: createWebhookSender({ url, secret: SECRET, nowMs: () => nowMs }),
    store,
    topics: ['trade_settled', 'market_resolved', 'alarm'],
    logs: [fixture.log],
    alarms: () => alarms,
    isKnown: () => true,
    giveUpMs: 24 * HOUR_MS,
    log: SILENT_LOG,
    nowMs: () => nowMs,
    backoff: { firstMs: 1, longestMs: 5 },
    ...others,
  });
  opened.push(webhooks);
  await webhooks.start();
  return webhooks;
}

/** Ids of all settled trades that the journal holds, in its order. */
async function settledIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { firstSeq, records } of fixture.log.read(1)) {
    for (const [index, record] of records.entries()) {
      if (record.type === 'trade-moved' && record.stage === 'confirmed')
        ids.push(`trade_settled:m0:${firstSeq + index}`);
    }
  }
  return ids;
}

async function runFlow(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await flow.step();
}

const idsOf = (topic: string) => received.filter((event) => event.topic === topic).map(({ id }) => id);

describe('webhooks', () => {
  it('tell settled trades in the order of the journal, each signed', async () => {
    await openWebhooks();
    await runFlow(400);
    const expected = await settledIds();
    expect(expected.length).toBeGreaterThan(3);
    await waitFor('every settled trade', async () => received.length >= expected.length);
    expect(idsOf('trade_settled'), `seed ${seed}`).toEqual(expected);
    expect(received[0]).toMatchObject({
      seq: expect.any(Number),
      data: { marketId: TEST_MARKET, tradeId: expect.any(String) },
    });
  });

  it('lose nothing while the receiver fails for an hour', async () => {
    statusFor = () => 500;
    const webhooks = await openWebhooks();
    await runFlow(400);
    const expected = await settledIds();
    await waitFor('some attempts', async () => attempts > 3);
    nowMs += HOUR_MS;
    statusFor = () => 200;
    await waitFor('every settled trade', async () => received.length >= expected.length);
    expect(idsOf('trade_settled'), `seed ${seed}`).toEqual(expected);
    expect(webhooks.deadLetters).toEqual([]);
  });

  it('lose nothing when the service is killed at any moment', async () => {
    const random = new SeededRandom(seed);
    let file = 'killed-0.json';
    await openWebhooks({ file });
    for (let kill = 1; kill <= 5; kill++) {
      await runFlow(random.int(50, 150));
      const next = `killed-${kill}.json`;
      // The state as a kill -9 leaves it: what was durable at this moment, however far the delivery had come.
      await copyFile(join(folder, file), join(folder, next));
      await opened.pop()?.close();
      await runFlow(random.int(10, 50));
      file = next;
      await openWebhooks({ file });
    }
    const expected = await settledIds();
    expect(expected.length).toBeGreaterThan(3);
    await waitFor('every settled trade', async () => new Set(idsOf('trade_settled')).size >= expected.length);
    expect([...new Set(idsOf('trade_settled'))], `seed ${seed}`).toEqual(expected);
  });

  it('give up after a day of failures, keep the event as a dead letter over a restart, and send it again when asked', async () => {
    const webhooks = await openWebhooks();
    statusFor = () => 500;
    const before = attempts;
    alarms = ['relayer_low'];
    await webhooks.checkAlarms();
    await waitFor('a failed attempt', async () => attempts > before);
    nowMs += 24 * HOUR_MS;
    await waitFor('a dead letter', async () => webhooks.deadLetters.length === 1);
    await webhooks.close();
    opened = [];
    const again = await openWebhooks();
    // 401: signed before the clock was put forward and read after it.
    const reason = expect.stringMatching(/^status (500|401)$/);
    expect(again.deadLetters).toMatchObject([{ id: 'alarm:1', topic: 'alarm', reason }]);
    expect(await again.retryDeadLetters()).toBe(0);
    statusFor = () => 200;
    expect(await again.retryDeadLetters()).toBe(1);
    expect(received).toMatchObject([{ id: 'alarm:1', data: { alarm: 'relayer_low', raised: true } }]);
    expect(JSON.parse(await readFile(join(folder, 'webhooks.json'), 'utf8')).dead).toEqual([]);
  });

  it('of one topic do not wait for another that fails', async () => {
    statusFor = ({ topic }) => (topic === 'trade_settled' ? 500 : 200);
    const webhooks = await openWebhooks();
    await runFlow(300);
    alarms = ['paused'];
    await webhooks.checkAlarms();
    await waitFor('the alarm', async () => idsOf('alarm').length === 1);
    alarms = [];
    await webhooks.checkAlarms();
    await waitFor('its end', async () => idsOf('alarm').length === 2);
    expect(received.map(({ data }) => data)).toMatchObject([{ raised: true }, { raised: false }]);
  });

  it('of a receiver that takes the request and never answers fail after the time limit', async () => {
    receiver.removeAllListeners('request').on('request', () => collectGarbage());
    const send = createWebhookSender({ url, secret: SECRET, timeoutMs: 100 });
    const event = { id: 'alarm:1', topic: 'alarm', seq: 1, data: {} } as const;
    expect(await send(event, new AbortController().signal)).toEqual({
      status: 'failed',
      reason: 'no answer within 100 ms',
    });
  });

  it('of alarms go on after the disk was full while one was given up', async () => {
    const store = await WebhookStore.open(join(folder, 'webhooks.json'), () => undefined);
    const webhooks = await openWebhooks({ store });
    let isFull = true;
    const write = store.write.bind(store);
    store.write = () => (isFull && store.state.dead.length > 0 ? Promise.reject(new Error('ENOSPC')) : write());
    statusFor = () => 410;
    alarms = ['paused'];
    await webhooks.checkAlarms();
    await waitFor('an alarm that was given up', async () => webhooks.deadLetters.length === 1);
    isFull = false;
    statusFor = () => 200;
    await waitFor('the alarm', async () => {
      await webhooks.checkAlarms();
      return idsOf('alarm').length === 1;
    });
  });

  it('of an alarm do not say that it was cleared before its chain was looked at again', async () => {
    alarms = ['settlement_paused on chain 1'];
    const webhooks = await openWebhooks();
    await webhooks.checkAlarms();
    await waitFor('the alarm', async () => idsOf('alarm').length === 1);
    await webhooks.close();
    let isReachable = false;
    alarms = ['settlement_paused on chain 2'];
    const again = await openWebhooks({ isKnown: (alarm) => isReachable || !alarm.endsWith('chain 1') });
    await again.checkAlarms();
    await again.checkAlarms();
    isReachable = true;
    await again.checkAlarms();
    await waitFor('its end', async () => idsOf('alarm').length === 3);
    expect(received.map(({ data }) => data)).toMatchObject([
      { alarm: 'settlement_paused on chain 1', raised: true },
      { alarm: 'settlement_paused on chain 2', raised: true },
      { alarm: 'settlement_paused on chain 1', raised: false },
    ]);
  });

  it('begin with what happens after the first start', async () => {
    await runFlow(200);
    await openWebhooks();
    const before = (await settledIds()).length;
    await runFlow(300);
    const expected = (await settledIds()).slice(before);
    await waitFor('the new ones', async () => received.length >= expected.length);
    expect(idsOf('trade_settled')).toEqual(expected);
  });

  it('begin at the end of a journal that was restored from before their position', async () => {
    const before = { 'trade_settled m0': 1_000_000, 'market_resolved m0': 1_000_000 };
    await writeFile(join(folder, 'webhooks.json'), JSON.stringify({ positions: before }));
    await openWebhooks();
    await runFlow(300);
    const settled = await settledIds();
    expect(settled.length).toBeGreaterThan(0);
    await waitFor('every settled trade', async () => idsOf('trade_settled').length >= settled.length);
    expect(idsOf('trade_settled')).toEqual(settled);
  });
});

describe('the example receiver', () => {
  it('refuses another secret, an old signature and a changed body', () => {
    const header = signWebhook('{}', SECRET, 1_000);
    expect(isGenuine(header, '{}', SECRET, 1_000)).toBe(true);
    expect(isGenuine(header, '{}', 'another', 1_000)).toBe(false);
    expect(isGenuine(header, '{"a":1}', SECRET, 1_000)).toBe(false);
    expect(isGenuine(header, '{}', SECRET, 1_400)).toBe(false);
    expect(isGenuine(undefined, '{}', SECRET, 1_000)).toBe(false);
  });
});
