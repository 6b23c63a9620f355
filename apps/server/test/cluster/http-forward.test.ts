// A gateway in front of a settler, both with real listeners: whatever is written into a socket of the gateway, the settler reads one request for each one.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { SILENT_LOG } from '@presage/testkit';
import Type from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { endpoint, routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { divertToSettler } from '../../src/api/passed-on.ts';
import { HttpForward } from '../../src/cluster/http-forward.ts';

interface Asked {
  readonly line: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

const asked: Asked[] = [];
let connections = 0;
const settler = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    asked.push({ line: `${method} ${url}`, body: Buffer.concat(chunks).toString(), headers });
    if (url === '/settled/never') return;
    if (url === '/settled/cut') {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setImmediate(() => response.destroy());
    } else response.setHeader('connection', 'keep-alive, x-inner').setHeader('x-inner', 'secret').end(`answer ${url}`);
  });
}).on('connection', () => connections++);
const forward = new HttpForward({
  settler: () => `http://127.0.0.1:${(settler.address() as AddressInfo).port}`,
  answerMs: 1_000,
});
const gateway = new HttpListener({ headersMs: 300, requestMs: 600, checkMs: 50 });
let port: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => settler.listen(0, '127.0.0.1', resolve));
  const about = { tag: 'Test', summary: 'Test', answer: Type.Null(), handle: async () => null } as const;
  const endpoints = [
    endpoint({ ...about, method: 'get', path: '/settled/:id', id: 'settled', answeredBy: 'settler' }),
    endpoint({ ...about, method: 'get', path: '/here', id: 'here' }),
  ];
  const log = SILENT_LOG;
  const divert = divertToSettler(endpoints, forward.passOn);
  const options = { listener: gateway, divert, log, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  openHttpServer(options, [routesOf(endpoints)]);
  port = Number(new URL(await gateway.listen(0, '127.0.0.1')).port);
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  forward.close();
  settler.closeAllConnections();
  await gateway.close();
  await new Promise((resolve) => settler.close(resolve));
});

/** Everything that the gateway answers until it closes the connection. */
async function exchange(...parts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  for (const part of parts) socket.write(part);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

describe('a body that reads like a request', () => {
  const smuggled = 'POST /settled/smuggled HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n';
  const framings = [
    ['by its length', `content-length: ${smuggled.length}\r\n\r\n${smuggled}`],
    ['in chunks', `transfer-encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`],
    [
      'by a length that the connection is said to own',
      `connection: content-length\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`,
    ],
    [
      'in chunks that the connection is said to own',
      `connection: transfer-encoding\r\ntransfer-encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    ],
  ] as const;
  const cases = ['GET', 'DELETE', 'OPTIONS', 'HEAD', 'POST'].flatMap((method) =>
    framings.map(([framing, rest]) => [method, framing, rest] as const),
  );

  it.each(cases)('of a %s framed %s stays a body', async (method, _framing, rest) => {
    const last = 'GET /settled/last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
    const text = await exchange(`${method} /settled/first HTTP/1.1\r\nhost: a\r\n${rest}`, last);
    // The two are passed on side by side.
    expect(Object.fromEntries(asked.map(({ line, body }) => [line, body]))).toEqual({
      [`${method} /settled/first`]: smuggled,
      'GET /settled/last': '',
    });
    expect(text).not.toContain('answer /settled/smuggled');
    expect(text).toContain('answer /settled/last');
  });
});

describe('a request that is passed on', () => {
  it('is refused if no answer begins', async () => {
    const text = await exchange('GET /settled/never HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    expect(text).toContain('HTTP/1.1 503');
    expect(text).toContain('partition_unavailable');
  });

  const send = (headers: string) =>
    exchange(`GET /settled/one HTTP/1.1\r\nhost: gateway.example\r\n${headers}connection: close\r\n\r\n`);

  it('loses what belongs to its connection, also by name, and keeps the rest', async () => {
    await send('connection: x-own, Keep-Alive\r\nx-own: 1\r\nproxy-connection: x\r\nte: trailers\r\nx-kept: 2\r\n');
    const [{ headers }] = asked as [Asked];
    expect(headers).toMatchObject({ host: 'gateway.example', 'x-kept': '2' });
    for (const name of ['x-own', 'proxy-connection', 'te', 'content-length', 'transfer-encoding']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  it.each([
    ['without a body', ''],
    ['with the length of one', 'content-length: 5\r\n'],
    ['with one in chunks', 'transfer-encoding: chunked\r\n'],
  ])('reaches the settler when it asks for an upgrade, as clients of HTTP/2 do: %s', async (_, framing) => {
    const upgrade = 'connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n';
    const text = await exchange(`GET /settled/one HTTP/1.1\r\nhost: a\r\n${upgrade}${framing}\r\n`);
    expect(text).toContain('answer /settled/one');
    expect(asked.map(({ line, body }) => [line, body])).toEqual([['GET /settled/one', '']]);
    for (const name of ['upgrade', 'http2-settings']) expect(asked[0]?.headers).not.toHaveProperty(name);
    expect(await exchange(`GET /here HTTP/1.1\r\nhost: a\r\n${upgrade}\r\n`)).toContain('200 OK');
  });

  it('cannot hide whom it is asked by or of behind its connection header', async () => {
    await send(
      'connection: x-forwarded-for, forwarded, host\r\nx-forwarded-for: 192.0.2.1\r\nforwarded: for=192.0.2.1\r\n',
    );
    const [{ headers }] = asked as [Asked];
    expect(headers).toMatchObject({
      host: 'gateway.example',
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
      forwarded: 'for=192.0.2.1, for=127.0.0.1',
    });
  });

  it('is answered without what belongs to the settler’s connection', async () => {
    const text = await send('');
    expect(text).toContain('answer /settled/one');
    expect(text).not.toContain('x-inner');
  });

  it('reaches the settler when its body is there: a body that never comes takes no connection of it', async () => {
    const before = connections;
    const head = 'POST /settled/silent HTTP/1.1\r\nhost: a\r\n';
    const texts = await Promise.all([
      exchange(`${head}content-length: 9\r\n\r\nhalf`),
      exchange(`${head}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`),
    ]);
    expect(texts.map((text) => text.slice(9, 12))).toEqual(['408', '408']);
    expect([asked, connections]).toEqual([[], before]);
  });

  it('needs no connection of its own when one is free', async () => {
    await send('');
    const before = connections;
    for (let again = 0; again < 3; again++) expect(await send('')).toContain('answer /settled/one');
    expect(connections).toBe(before);
  });

  it('is refused with 413 when its body is too large', async () => {
    const text = await exchange(
      'POST /settled/large HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 70000\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"body_too_large"/);
    expect(asked).toEqual([]);
  });

  it('whose answer breaks off is cut off, not left waiting', async () => {
    const text = await exchange('GET /settled/cut HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*half$/);
  });
});
