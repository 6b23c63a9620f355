// Sockets of several addresses at a listener with few places: whoever holds one without asking for anything, or holds the most, makes room.
import { connect, type Socket } from 'node:net';
import { SILENT_LOG, waitFor } from '@presage/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Route } from '../../src/api/http/request.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { connectionsOf } from './connections-of.ts';

const PLACES = 10;
/** Longer than any test here takes. */
const LONG_MS = 600_000;
/** Every address of 127.0.0.0/8 is this machine. */
const [CROWD, OTHER, PROXY] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/now', handler: async () => ({ is: 'now' }) },
  { method: 'GET', path: '/never', handler: () => new Promise(() => undefined) },
];

let port: number;
let accepted: number;
let asked: number;
let listener: HttpListener;

beforeEach(async () => {
  listener = new HttpListener({ connections: PLACES, headersMs: LONG_MS, requestMs: LONG_MS });
  const options = { listener, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  openHttpServer({ ...options, proxies: { trusted: [PROXY], header: 'x-forwarded-for' } }, [ROUTES]);
  [accepted, asked] = [0, 0];
  listener.server.on('connection', () => accepted++).on('request', () => asked++);
  port = Number(new URL(await listener.listen(0, '127.0.0.1')).port);
  onTestFinished(async () => {
    listener.server.closeAllConnections();
    await listener.close();
  });
});

class Client {
  readonly #socket: Socket;
  received = '';
  isClosed = false;

  constructor(address: string, request = '') {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: address });
    this.#socket
      .on('error', () => undefined)
      .on('close', () => {
        this.isClosed = true;
      });
    this.#socket.on('data', (data) => {
      this.received += data.toString();
    });
    this.write(request);
    onTestFinished(() => void this.#socket.destroy());
  }

  write(request: string): void {
    this.#socket.write(request);
  }

  leave(): void {
    this.#socket.destroy();
  }
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;

async function open(count: number, address: string, request = ''): Promise<Client[]> {
  const clients: Client[] = [];
  // One after the other, so that it is known who came first.
  for (let index = 0; index < count; index++) {
    const before = { accepted, asked };
    const client = new Client(address, request);
    clients.push(client);
    await waitFor('the connection is there', async () => accepted > before.accepted);
    if (request !== '') await waitFor('it has asked', async () => asked > before.asked || client.isClosed);
  }
  return clients;
}

async function answered(client: Client | undefined): Promise<boolean> {
  client?.write(ask('/now'));
  await waitFor('it is answered or closed', async () => client?.isClosed || client?.received.includes('"now"'));
  return !client?.isClosed;
}

const closedOf = (clients: readonly Client[]) => clients.map(({ isClosed }) => isClosed);

describe('when all connections are taken', () => {
  it.each([
    ['silent', ''],
    ['busy', ask('/never')],
  ])('an address with most of them, all %s, makes room for others, but not for itself', async (_how, request) => {
    const crowd = await open(PLACES, CROWD, request);
    const [other] = await open(1, OTHER);
    expect(await answered(other)).toBe(true);
    await waitFor('its oldest is closed', async () => crowd[0]?.isClosed);
    expect(closedOf(crowd).filter(Boolean)).toHaveLength(1);
    if (request === '') return;
    const [own] = await open(1, CROWD);
    expect(await answered(own)).toBe(false);
    expect(await answered(other)).toBe(true);
  });

  it('the address with most of them loses silent connections before idle ones, and those before busy ones', async () => {
    const [busy] = await open(1, CROWD, ask('/never'));
    const [idle] = await open(1, CROWD);
    expect(await answered(idle)).toBe(true);
    const silent = await open(PLACES - 2, CROWD);
    const others = await open(4, OTHER, ask('/never'));
    await waitFor('four made room', async () => closedOf(silent).filter(Boolean).length === 4);
    expect([busy?.isClosed, idle?.isClosed, ...closedOf(others)].some(Boolean)).toBe(false);
  });

  it('a connection that never asked for anything makes room where no address holds more than another', async () => {
    const addresses = Array.from({ length: PLACES }, (_, index) => `127.0.1.${index + 1}`);
    const [silent] = await open(1, addresses[0]!);
    for (const address of addresses.slice(1)) await open(1, address, ask('/never'));
    const [next] = await open(1, OTHER);
    expect(await answered(next)).toBe(true);
    expect(silent?.isClosed).toBe(true);
  });

  it('the next is closed if all others are busy and nobody holds many', async () => {
    for (let index = 0; index < PLACES; index++) await open(1, `127.0.1.${index + 1}`, ask('/never'));
    const [next] = await open(1, OTHER);
    expect(await answered(next)).toBe(false);
  });

  it('the busy connections of a trusted proxy are nobody’s crowd', async () => {
    const proxied = await open(PLACES - 2, PROXY, ask('/never'));
    const crowd = await open(2, CROWD, ask('/never'));
    const [other] = await open(1, OTHER);
    expect(await answered(other)).toBe(true);
    expect(closedOf(proxied).some(Boolean)).toBe(false);
    expect(closedOf(crowd)).toEqual([true, false]);
  });
});

describe('requests of one connection', () => {
  it('are under way in small numbers, however many are sent in one go', async () => {
    const [client] = await open(1, OTHER, ask('/now').repeat(500));
    await waitFor('all are answered', async () => client!.received.split('"now"').length === 501);
  });
});

describe('the place of a connection', () => {
  it('is free after a refused upgrade, also if its client has sent more and left', async () => {
    const upgrade = 'GET /now HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n';
    const client = new Client(OTHER, upgrade + 'x'.repeat(300_000));
    await waitFor('the answer', () => client.received.includes('{"is":"now"}'));
    client.leave();
    await waitFor('nothing is left of it', async () => (await connectionsOf(listener)) === 0, { timeoutMs: 5_000 });
  });
});
