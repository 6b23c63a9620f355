// Long answers that many ask for in one moment, before any connection that is given up for them could be closed: memory stays within the account.
import { connect, type Socket } from 'node:net';
import { SILENT_LOG, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import type { Route } from '../../src/api/http/request.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { openUnsentBytes } from '../../src/api/unsent-answers.ts';

const ANSWER_BYTES = 200_000;
/** Answers that an address may leave unread. */
const SHARE = 5;
const CLIENTS = 40;

const toText = () => Math.random().toString(36).repeat(20).padEnd(ANSWER_BYTES, '.');
let writes = 0;
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/long', handler: async () => ({ text: toText() }) },
  { method: 'GET', path: '/short', handler: async () => ({ text: 'short' }) },
  { method: 'POST', path: '/long', handler: async () => ({ text: toText(), count: ++writes }) },
];

interface Client {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

async function openClients(): Promise<Client[]> {
  const unsent = openUnsentBytes({ address: SHARE * (ANSWER_BYTES + 100) });
  const listener = new HttpListener();
  const options = { listener, unsent, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  openHttpServer(options, [ROUTES]);
  let accepted = 0;
  listener.server.on('connection', () => accepted++);
  const port = Number(new URL(await listener.listen(0, '127.0.0.1')).port);
  onTestFinished(async () => {
    listener.server.closeAllConnections();
    await listener.close();
  });
  const clients = Array.from({ length: CLIENTS }, () => openClient(port));
  // What they send then is all read in one turn of the event loop.
  const isConnected = ({ socket }: Client) => !socket.connecting;
  await waitFor('all are connected', async () => accepted === CLIENTS && clients.every(isConnected));
  return clients;
}

function openClient(port: number): Client {
  const client = { socket: connect({ port, host: '127.0.0.1' }), received: '', isClosed: false };
  client.socket
    .on('error', () => undefined)
    .on('data', (data) => {
      client.received += data.toString('latin1');
    })
    .on('close', () => {
      client.isClosed = true;
    });
  onTestFinished(() => void client.socket.destroy());
  return client;
}

const isAnswered = ({ received }: Client) => received.includes('\r\n\r\n');

async function askAtOnce(clients: readonly Client[], line: string): Promise<{ [outcome: string]: number }> {
  for (const { socket } of clients) {
    socket.write(`${line} HTTP/1.1\r\nhost: a\r\naccept-encoding: br\r\ncontent-length: 0\r\n\r\n`);
  }
  await waitFor('each is answered or closed', async () => clients.every((each) => each.isClosed || isAnswered(each)));
  const outcomes: { [outcome: string]: number } = {};
  for (const each of clients) {
    const outcome = isAnswered(each) ? (each.received.split(' ')[1] ?? '') : 'closed';
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

it('refuses a long answer while what was given up before it still takes as much memory as an address may', async () => {
  const clients = await openClients();
  const outcomes = await askAtOnce(clients, 'GET /long');
  expect(outcomes).toEqual({ 200: SHARE, closed: SHARE + 1, 503: CLIENTS - SHARE - (SHARE + 1) });
  const refused = clients.filter(({ received }) => received.includes(' 503 '));
  for (const { received } of refused) {
    expect(received).toContain('"code":"overloaded"');
    expect(received).toMatch(/retry-after: 1\r\n/);
  }
  // The memory is free by now.
  for (const each of refused) each.received = '';
  expect(await askAtOnce(refused.slice(0, 2), 'GET /long')).toEqual({ 200: 2 });
});

it('does not refuse short answers meanwhile', async () => {
  const [short, ...clients] = await openClients();
  const long = askAtOnce(clients, 'GET /long');
  const outcomes = await askAtOnce([short as Client], 'GET /short');
  await long;
  expect(outcomes).toEqual({ 200: 1 });
});

it('never refuses the answer to a write, which has had its effect', async () => {
  const outcomes = await askAtOnce(await openClients(), 'POST /long');
  expect(outcomes).toEqual({ 200: SHARE, closed: CLIENTS - SHARE });
  expect(writes).toBe(CLIENTS);
});
