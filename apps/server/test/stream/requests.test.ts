// What a client may ask of the stream, what it is refused, and how a connection lives and ends.
import { createOrderBuilders, TEST_MARKET, TRADERS } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { HttpListener } from '../../src/api/http-listener.ts';
import { expectSchema } from './published-schema.ts';
import type { StreamClient } from './stream-client.ts';
import { openStreamFixture, type StreamFixture } from './stream-fixture.ts';

let fixture: StreamFixture;
let client: StreamClient;

beforeEach(async () => {
  fixture = await openStreamFixture({ heartbeatMs: 50 });
  client = await fixture.connect();
});
afterEach(async () => {
  client.received.forEach(expectSchema);
  await fixture.close();
});

describe('requests', () => {
  it('echo their id and answer at once: ping, snapshot of both books or of one', async () => {
    client.send({ type: 'ping', id: 9 });
    expect(await client.next('pong')).toMatchObject({ id: 9 });
    client.send(`{"type":"ping","id":18446744073709551615}`);
    expect(await client.next('pong')).toMatchObject({ id: 18_446_744_073_709_551_615n });
    client.send({ type: 'snapshot', marketId: TEST_MARKET, id: 'a' });
    client.send({ type: 'snapshot', marketId: TEST_MARKET, id: 'b', data: { outcome: '1' } });
    const books = (await client.drain()).filter(({ type }) => type === 'orderbook');
    expect(books.map(({ id, data }) => [id, data.outcome])).toEqual([
      ['a', 0],
      ['a', 1],
      ['b', 1],
    ]);
  });

  it('may say null for what they leave out, the channel too', async () => {
    const nulls = { id: null, channel: null, data: { outcome: null, book: null, fromSeq: null, receipts: null } };
    client.send({ type: 'subscribe', marketId: TEST_MARKET, ...nulls });
    expect(await client.next('subscribe')).toMatchObject({ marketId: TEST_MARKET });
    client.send({ type: 'unsubscribe', marketId: TEST_MARKET, id: null, channel: null });
    await client.next('unsubscribe');
  });

  const unknown = `0x${'99'.repeat(32)}`;
  it.each([
    ['invalid_json', 'nonsense'],
    ['invalid_field', '[]'],
    ['invalid_field', '{"type":"dance"}'],
    ['invalid_field', '{"type":"subscribe"}'],
    ['invalid_field', '{"type":"subscribe","channel":"gossip"}'],
    ['invalid_field', '{"type":"subscribe","channel":"user"}'],
    ['invalid_field', '{"type":"subscribe","channel":"user","data":{"address":"0x12"}}'],
    ['invalid_field', '{"type":"subscribe","channel":"quick_market","data":{"asset":"$"}}'],
    ['invalid_field', '{"type":"subscribe","marketId":"0x12"}'],
    ['invalid_field', `{"type":"subscribe","marketId":"${TEST_MARKET}","data":{"outcome":"2"}}`],
    ['invalid_field', `{"type":"subscribe","marketId":"${TEST_MARKET}","data":{"book":"both"}}`],
    ['invalid_field', `{"type":"subscribe","marketId":"${TEST_MARKET}","data":{"fromSeq":-1}}`],
    ['market_not_found', `{"type":"subscribe","marketId":"${unknown}"}`],
    ['market_not_found', `{"type":"snapshot","marketId":"${unknown}"}`],
    ['frame_too_large', `{"type":"ping","pad":"${'x'.repeat(4_096)}"}`],
  ])('that are wrong are refused by code, and the connection goes on: %s (row %#)', async (code, text) => {
    client.send(text.startsWith('{"type"') ? text.replace('{', '{"id":5,') : text);
    const refusal = await client.next('error');
    expect(refusal.data.code).toBe(code);
    if (code !== 'frame_too_large' && text.startsWith('{"type"')) expect(refusal.id).toBe(5);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  it('beyond 20 at once are refused, and who keeps on is closed', async () => {
    for (let i = 0; i < 30; i++) client.send({ type: 'ping', id: i });
    const refusal = await client.next('error');
    expect(refusal.data).toMatchObject({ code: 'rate_limited', details: { limit: 20 } });
    for (let i = 0; i < 300; i++) client.send({ type: 'ping', id: i });
    expect(await client.closed()).toMatchObject({ code: 1008 });
  });

  it('over 64 KiB close the connection with 1009', async () => {
    client.send('x'.repeat(70_000));
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });
});

describe('a message in fragments', () => {
  const send = (socket: WebSocket, pieces: readonly string[]) => {
    for (const [index, piece] of pieces.entries()) socket.send(piece, { fin: index === pieces.length - 1 });
  };

  it('is read like any other', async () => {
    const socket = await openSocket();
    const answer = new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(data.toString()).id)));
    send(socket, ['{"type":', '', '"ping","id":', '7}']);
    expect(await answer).toBe(7);
  });

  it('closes the connection with 1008 when there are more than 256', async () => {
    const socket = await openSocket();
    send(socket, [...'x'.repeat(257)]);
    expect(await closing(socket)).toBe(1008);
  });
});

describe('a connection', () => {
  it('gets the seq of each of its subscriptions regularly', async () => {
    client.send({ type: 'subscribe', marketId: TEST_MARKET });
    client.send({ type: 'subscribe', channel: 'user', data: { address: TRADERS.alice } });
    await client.next('balance');
    await fixture.host.submit(createOrderBuilders(fixture.clock).aliceBuysYes({ price: '0.5', size: '1' }));
    await client.next('order');
    const { data } = await client.next('heartbeat');
    expect(data.subscriptions).toEqual([
      { marketId: TEST_MARKET, seq: 2 },
      { channel: 'user', address: expect.stringMatching(/^0x[aA]1/) },
    ]);
  });

  it('is asked for a sign of life, and cut when it gives none', async () => {
    const silent = new WebSocket(`${fixture.url.replace('http', 'ws')}/api/v1/stream`, { autoPong: false });
    const pings: number[] = [];
    silent.on('ping', () => pings.push(1));
    const code = await new Promise((resolve) => silent.once('close', resolve));
    expect(code).toBe(1006);
    expect(pings).toHaveLength(2);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  it('has its WebSocket pings answered, within what it may send', async () => {
    const socket = await openSocket();
    const answered = new Promise((resolve) => socket.once('pong', (data) => resolve(data.toString())));
    socket.ping('are you there');
    expect(await answered).toBe('are you there');
  });

  it.each(['ping', 'pong'] as const)('ends with 1008 when it floods with %s frames', async (kind) => {
    const socket = await openSocket();
    let pongs = 0;
    socket.on('pong', () => pongs++);
    for (let sent = 0; sent < FLOOD; sent++) socket[kind]('x'.repeat(125));
    expect(await closing(socket)).toBe(1008);
    expect(pongs).toBeLessThan(FLOOD / 2);
  });

  it('that floods and reads nothing is ended too, and holds no memory of the service', async () => {
    const socket = await openSocket();
    socket.pause();
    for (let sent = 0; sent < FLOOD; sent++) socket.ping('x'.repeat(125));
    client.send({ type: 'ping' });
    await client.next('pong');
    socket.resume();
    expect(await closing(socket)).toBe(1008);
    expect(fixture.unsent.bytes).toBe(0);
  });

  it('that floods on while it is closed makes no more work for each frame', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const socket = await openSocket();
    for (let sent = 0; sent < 5 * FLOOD; sent++) socket.send('');
    expect(await closing(socket)).toBe(1008);
    client.send({ type: 'ping' });
    await client.next('pong');
    expect(timers.mock.calls.length).toBeLessThan(FLOOD);
  });

  it('says before its end which steps were sent whole, so that a client that resumes asks for none again', async () => {
    const quiet = await openStreamFixture({ heartbeatMs: 600_000 });
    const reader = await quiet.connect();
    reader.send({ type: 'subscribe', marketId: TEST_MARKET });
    await reader.drain();
    await quiet.host.submit(createOrderBuilders(quiet.clock).aliceBuysYes({ price: '0.4', size: '10' }));
    await quiet.stream.close();
    await reader.closed();
    const told = reader.received.at(-1);
    expect(told).toMatchObject({ type: 'heartbeat', data: { subscriptions: [{ marketId: TEST_MARKET, seq: 2 }] } });
    await quiet.close();
  });

  it('ends with 1001 when the service goes down, and no other is opened', async () => {
    client.send({ type: 'subscribe', marketId: TEST_MARKET });
    await client.next('orderbook');
    await fixture.stream.close();
    expect(await client.closed()).toMatchObject({ code: 1001 });
    expect(fixture.stream.connections).toBe(0);
    const late = await fixture.connect();
    expect(await late.closed()).toMatchObject({ code: 1013 });
  });
});

/** More than a second's worth and all refusals that are put up with. */
const FLOOD = 2_000;

async function openSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`${fixture.url.replace('http', 'ws')}/api/v1/stream`);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('open', resolve));
  onTestFinished(() => socket.terminate());
  return socket;
}

function closing(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once('close', resolve));
}

describe('the path', () => {
  it('answers a plain GET with 426 and how to connect', async () => {
    const answer = await fetch(`${fixture.url}/api/v1/stream`);
    expect([answer.status, await answer.json()]).toMatchObject([426, { code: 'upgrade_required' }]);
  });

  it('refuses an upgrade anywhere else with 404', async () => {
    const socket = new WebSocket(`${fixture.url.replace('http', 'ws')}/api/v1/nowhere`);
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toContain('404');
  });

  it('says 425 to an upgrade while the service recovers', async () => {
    const listener = new HttpListener();
    const socket = new WebSocket(`${(await listener.listen(0, '127.0.0.1')).replace('http', 'ws')}/api/v1/stream`);
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toContain('425');
    await listener.close();
  });
});

describe('/asyncapi.json', () => {
  it('describes every request and message with the schemas they are checked with', async () => {
    const document = (await (await fetch(`${fixture.url}/asyncapi.json`)).json()) as AsyncApi;
    expect(document.asyncapi).toBe('3.0.0');
    const channels = Object.values(document.channels);
    expect(channels.map(({ address }) => address)).toEqual([
      '/api/v1/stream',
      '/api/v1/quick-markets/{asset}/price-stream',
    ]);
    const messages = channels.flatMap((channel) => Object.values(channel.messages));
    for (const { $ref } of messages) expect(at(document, $ref)).toHaveProperty('payload.type', 'object');
    const sent = Object.values(document.operations).flatMap((operation) => operation.messages);
    for (const { $ref } of sent) expect(at(document, $ref)).toHaveProperty('$ref');
    expect(sent).toHaveLength(messages.length);
    expect(JSON.stringify(document)).not.toContain('bigint');
  });
});

interface AsyncApi {
  readonly asyncapi: string;
  readonly channels: Record<string, { readonly address: string; readonly messages: Record<string, { $ref: string }> }>;
  readonly operations: Record<string, { readonly messages: readonly { $ref: string }[] }>;
}

function at(document: object, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], document);
}
