// Places of readers of the daily archive: whoever leaves before the file is opened keeps none.
import { connect } from 'node:net';
import { SILENT_LOG, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { archiveEndpoints } from '../../src/api/routes/archive.ts';
import { connectionsOf } from './connections-of.ts';

const PLACES = 64;
const PATH = '/api/v1/archive/2026-01-31/m0-trades.csv';

it('a reader that leaves while the day is looked for keeps no place', async () => {
  let asked = 0;
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const archive = {
    find: async () => {
      asked++;
      await answered;
      return { partitions: [] };
    },
    open: async () => undefined,
  };
  const listener = new HttpListener();
  const options = { listener, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  const proxies = { trusted: ['127.0.0.1'], header: 'x-forwarded-for' } as const;
  openHttpServer({ ...options, proxies }, [routesOf(archiveEndpoints(archive as never))]);
  const url = await listener.listen(0, '127.0.0.1');
  onTestFinished(() => listener.close());
  const ask = (client: number) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(`GET ${PATH} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.${client}\r\n\r\n`);
    return socket;
  };
  const sockets = Array.from({ length: PLACES }, (_, client) => ask(client));
  await waitFor('all have asked', async () => asked === PLACES);
  for (const socket of sockets) socket.destroy();
  await waitFor('all have left', async () => (await connectionsOf(listener)) === 0);
  answer();
  const late = await fetch(url + PATH, { headers: { 'x-forwarded-for': '192.0.2.200' } });
  expect(await late.json()).toMatchObject({ code: 'archive_not_found' });
});
