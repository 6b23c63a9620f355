// What no well-behaved client sends, written by hand into the socket of the real listener: each is refused or cut off, and nobody else notices.

import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { LIMITS } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf } from '../../src/api/bodies.ts';
import { endpoint, routesOf } from '../../src/api/endpoint.ts';
import type { HttpReply } from '../../src/api/http/reply.ts';
import type { Route } from '../../src/api/http/request.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';

const listener = new HttpListener({ headersMs: 300, requestMs: 600, checkMs: 50 });
/** Waits for slow senders as long as the service does. */
const patient = new HttpListener();
const asked: string[] = [];
const failures: unknown[] = [];
let port: number;
let patientPort: number;

beforeAll(async () => {
  port = await serve(listener);
  patientPort = await serve(patient);
});
afterAll(async () => {
  await listener.close();
  await patient.close();
});

async function serve(served: HttpListener): Promise<number> {
  const log = { ...SILENT_LOG, error: (details: object) => failures.push(details) };
  const about = { tag: 'Test', summary: 'Test', answer: Type.Object({ n: Type.String() }) } as const;
  const echo = endpoint({
    ...about,
    method: 'post',
    path: '/echo',
    id: 'echo',
    body: bodyOf(Type.Object({ n: Type.String() })),
    handle: async ({ body: { n } }) => {
      asked.push(n);
      return { n };
    },
  });
  const get = endpoint({ ...about, method: 'get', path: '/n', id: 'n', handle: async () => ({ n: 'got' }) });
  const order = endpoint({
    ...about,
    method: 'post',
    path: '/order',
    id: 'order',
    isShedFirst: true,
    body: bodyOf(Type.Object({ n: Type.String() })),
    handle: async ({ body: { n } }) => ({ n }),
  });
  const soon = endpoint({
    ...about,
    method: 'get',
    path: '/soon',
    id: 'soon',
    handle: () => sleep(100, { n: 'soon' }),
  });
  /** Like the page and the documents: their answers are bytes. */
  const bytes: Route = {
    method: 'GET',
    path: '/bytes',
    handler: (_request, reply) => reply.send(Buffer.from('some bytes')),
  };
  const wait = endpoint({
    ...about,
    method: 'get',
    path: '/wait',
    id: 'wait',
    handle: () => sleep(5_000, { n: 'late' }, { ref: false }),
  });
  const broken = ['payload', 'header', 'stream'].map(
    (what): Route => ({
      method: 'GET',
      path: `/broken/${what}`,
      handler: async (_request, reply) => answerBroken(what, reply),
    }),
  );
  const options = { listener: served, log, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  openHttpServer(options, [routesOf([echo, get, order, soon, wait]), [bytes, ...broken]]);
  return Number(new URL(await served.listen(0, '127.0.0.1')).port);
}

/** Defects of handlers that show only when their answer is written. */
function answerBroken(what: string, reply: HttpReply): unknown {
  if (what === 'header') return reply.header('x-broken', 'a\nb').send('never sent');
  if (what === 'stream') return reply.send(Readable.from(half()));
  return {
    toJSON: () => {
      throw new Error('cannot be written');
    },
  };
}

function* half(): Generator<string> {
  yield 'half';
  throw new Error('the rest is gone');
}

class RawClient {
  readonly #socket: Socket;
  #received = '';
  readonly closed: Promise<string>;

  constructor(to = port) {
    this.#socket = connect(to, '127.0.0.1');
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (data) => {
      this.#received += data.toString('latin1');
    });
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve(this.#received)));
    onTestFinished(() => void this.#socket.destroy());
  }

  write(data: string | Buffer): this {
    this.#socket.write(data);
    return this;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  end(): this {
    this.#socket.end();
    return this;
  }
}

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

async function isServed(by = port): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${by}/n`)).status === 200;
}

function post(body: string | Buffer, headers = 'content-type: application/json\r\n'): (string | Buffer)[] {
  const length = Buffer.byteLength(body);
  return [`POST /echo HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers}content-length: ${length}\r\n\r\n`, body];
}

async function exchange(parts: readonly (string | Buffer)[]): Promise<{ status: number | undefined; text: string }> {
  const client = new RawClient();
  for (const part of parts) client.write(part);
  const text = await client.closed;
  return { status: statusesIn(text)[0], text };
}

describe('a sender that takes its time', () => {
  it('over its headers, its body or its first byte is cut off while others are served', async () => {
    const slow = [
      new RawClient().write('GET /n HTTP/1.1\r\nhost: a\r\nx-slow: '),
      new RawClient().write(
        'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{"n"',
      ),
      new RawClient().write(
        'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"n":\r\n',
      ),
      new RawClient(),
    ];
    expect(await isServed()).toBe(true);
    const answers = await Promise.all(slow.map(({ closed }) => closed));
    expect(answers.slice(0, 3).map((text) => statusesIn(text)[0])).toEqual([408, 408, 408]);
    expect(asked).toEqual([]);
  });

  it('and closes its half in the middle of a request is dropped', async () => {
    const text = await new RawClient().write('POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{').end()
      .closed;
    expect(statusesIn(text).every((status) => status >= 400)).toBe(true);
    expect(await isServed()).toBe(true);
  });
});

describe('an order whose body does not come', () => {
  const head = 'POST /order HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
  const shapes = [
    ['by its length', 'content-length: 65536\r\n\r\n'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n'],
    ['by its length, and begins', `content-length: 65536\r\n\r\n{"n":"${'x'.repeat(40_000)}`],
    ['in chunks, and begins', 'transfer-encoding: chunked\r\n\r\n5\r\n{"n":\r\n'],
  ] as const;

  it.each(shapes)('announced %s takes nobody’s turn', async (_shape, rest) => {
    for (let silent = 0; silent < 3; silent++) new RawClient(patientPort).write(head + rest);
    // The listener has read the silent ones once it answers a request that was sent after them.
    expect(await isServed(patientPort)).toBe(true);
    const statuses = Array.from({ length: 8 }, async () => {
      const client = new RawClient(patientPort);
      client.write(`${head}connection: close\r\ncontent-length: 14\r\n\r\n{"n":"honest"}`);
      return statusesIn(await client.closed)[0];
    });
    expect(await Promise.all(statuses)).toEqual(Array(8).fill(200));
  });

  it('takes no turn after its sender left behind an unanswered request', async () => {
    const batch = `${head}content-length: 60000\r\n\r\n${'{"n":"x"}'.padEnd(60_000)}`;
    for (let gone = 0; gone < 3; gone++) {
      const client = new RawClient(patientPort).write(`GET /wait HTTP/1.1\r\nhost: a\r\n\r\n${batch}${batch}`);
      expect(await isServed(patientPort)).toBe(true);
      client.destroy();
      await client.closed;
    }
    const client = new RawClient(patientPort);
    client.write(`${head}connection: close\r\ncontent-length: 14\r\n\r\n{"n":"honest"}`);
    expect(statusesIn(await client.closed)).toEqual([200]);
  });

  it.each(shapes)('announced %s is cut off in time', async (_shape, rest) => {
    expect(statusesIn(await new RawClient().write(head + rest).closed)).toEqual([408]);
  });

  it.each([1, 700, 20_000, 60_000])('at once but in two pieces, the last of %i bytes, is answered', async (last) => {
    const body = `{"n":"${'x'.repeat(60_000)}"}`;
    const pieces = [body.slice(0, -last), body.slice(-last)];
    const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
    const close = `${head}connection: close\r\n`;
    const measured = new RawClient(patientPort).write(`${close}content-length: ${body.length}\r\n\r\n${pieces[0]}`);
    const chunked = new RawClient(patientPort).write(`${close}transfer-encoding: chunked\r\n\r\n${chunks[0]}`);
    expect(await isServed(patientPort)).toBe(true);
    measured.write(String(pieces[1]));
    chunked.write(`${chunks[1]}0\r\n\r\n`);
    for (const { closed } of [measured, chunked]) {
      const text = await closed;
      expect(statusesIn(text)).toEqual([200]);
      expect(text.endsWith(body)).toBe(true);
    }
  });
});

describe('orders behind a request whose answer takes its time', () => {
  it('give their turns back when they are answered, not when their sender can read it', async () => {
    const order =
      'POST /order HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"n":"x"}';
    const perConnection = 15;
    const waiting = Array.from({ length: Math.ceil(LIMITS.ordersUnderWay / perConnection) }, () =>
      new RawClient(patientPort).write(`GET /wait HTTP/1.1\r\nhost: a\r\n\r\n${order.repeat(perConnection)}`),
    );
    expect(await isServed(patientPort)).toBe(true);
    const honest = new RawClient(patientPort).write(order.replace('host: a', 'host: a\r\nconnection: close'));
    expect(statusesIn(await honest.closed)).toEqual([200]);
    for (const each of waiting) each.destroy();
  });
});

describe('an upgrade that is not made', () => {
  it.each([
    ['GET /%zz', 'websocket', 400],
    ['GET /nowhere', 'websocket', 404],
    ['GET /n', 'websocket', 200],
    ['GET /n', 'h2c', 200],
    ['HEAD /n', 'h2c', 200],
    ['POST /echo', 'h2c', 400],
  ])('is answered and closed: %s to %s, %i', async (line, protocol, status) => {
    const text = await new RawClient(patientPort).write(
      `${line} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\ncontent-length: 0\r\n\r\n`,
    ).closed;
    expect(statusesIn(text)).toEqual([status]);
    if (status === 200) expect(text.endsWith('{"n":"got"}')).toBe(line.startsWith('GET'));
  });
});

describe('an upgrade behind requests that are not answered yet', () => {
  it.each([
    ['a read', 'GET /n HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['many reads', 'GET /n HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(20)],
    ['an expectation that nobody meets', 'GET /n HTTP/1.1\r\nhost: a\r\nexpect: wonders\r\n\r\n'],
  ])('closes its connection and harms nobody else: %s', async (_, before) => {
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', onUncaught);
    onTestFinished(() => {
      process.off('uncaughtException', onUncaught);
      for (const each of listeners) process.on('uncaughtException', each);
    });
    const upgrade = 'GET /n HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const client = new RawClient(patientPort).write(before + upgrade);
    await Promise.race([client.closed, sleep(1_000)]);
    expect(uncaught).toEqual([]);
    await client.closed;
    expect(await isServed(patientPort)).toBe(true);
  });
});

describe('requests in one go', () => {
  it('are answered in their order', async () => {
    const one = 'GET /n HTTP/1.1\r\nhost: a\r\n\r\n';
    const last = 'GET /n HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
    const text = await new RawClient().write(one.repeat(200) + last).closed;
    expect(statusesIn(text)).toEqual(Array(201).fill(200));
  });

  const second =
    'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n{"n":"smuggled"}';
  it.each([
    ['two lengths', `content-length: 5\r\ncontent-length: 0\r\n\r\n`],
    ['a length and chunks', `content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks and a length', `transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`],
    ['a coding that is not chunked', `transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a coding after chunked', `transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['a space before the colon', `content-length : 5\r\n\r\n`],
    ['a length with a sign', `content-length: +5\r\n\r\n`],
    ['a length in hex', `content-length: 0x5\r\n\r\n`],
    ['a folded header', `x-a: b\r\n c\r\ncontent-length: 0, 5\r\n\r\n`],
    ['a line that ends with a carriage return alone', `x-a: b\rcontent-length: 5\r\n\r\n`],
    ['a chunk with a wrong size', `transfer-encoding: chunked\r\n\r\n1g\r\n\r\n`],
    ['a null byte in a header', `x-a: b\0c\r\ncontent-length: 0\r\n\r\n`],
  ])('with %s are refused, and nothing behind is taken for a request', async (_shape, headers) => {
    const text = await new RawClient().write(`POST /echo HTTP/1.1\r\nhost: a\r\n${headers}${second}`).closed;
    expect(statusesIn(text)).toEqual([400]);
    expect(asked).toEqual([]);
  });

  it('get "100 Continue" after the answers before them, never inside their own answer', async () => {
    const text = await new RawClient().write(
      'GET /soon HTTP/1.1\r\nhost: a\r\n\r\n' +
        'GET /bytes HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\n\r\n' +
        'GET /n HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    ).closed;
    expect(statusesIn(text)).toEqual([200, 100, 200, 200]);
    expect(text).toContain('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK');
  });

  it('without a host, with two, or with one header too large are refused', async () => {
    expect((await exchange(['GET /n HTTP/1.1\r\n\r\n'])).status).toBe(400);
    expect((await exchange([`GET /n HTTP/1.1\r\nhost: a\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`])).status).toBe(431);
    const many = Array.from({ length: 3_000 }, (_, index) => `x-${index}: 1\r\n`).join('');
    expect((await exchange([`GET /n HTTP/1.1\r\nhost: a\r\n${many}\r\n`])).status).toBe(431);
    expect((await exchange([`GET /${'n'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`])).status).toBe(431);
    expect(await isServed()).toBe(true);
  });

  it.each([
    ['with a method that nobody knows', 'BREW /n HTTP/1.1\r\nhost: a\r\n\r\n', 400, 'malformed_request'],
    [
      'with two lengths',
      'POST /n HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'with headers too large',
      `GET /n HTTP/1.1\r\nhost: a\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s are refused with a code and a request id, and the connection ends', async (_shape, bytes, status, code) => {
    const answer = await exchange([bytes]);
    expect(answer.status).toBe(status);
    const [head = '', body = ''] = answer.text.split('\r\n\r\n');
    const refusal = JSON.parse(body);
    expect(refusal).toMatchObject({ code, error: expect.stringMatching(/ /), requestId: expect.stringMatching(/./) });
    expect(head).toContain(`X-Request-Id: ${refusal.requestId}`);
  });

  it('that expect what nobody knows are answered all the same', async () => {
    const { status } = await exchange(['GET /n HTTP/1.1\r\nhost: a\r\nexpect: tea\r\nconnection: close\r\n\r\n']);
    expect(status).toBe(200);
  });
});

describe('a handler whose answer cannot be written', () => {
  it.each([
    ['payload', 500],
    ['header', 500],
    ['stream', 200],
  ])('for its %s harms nobody else', async (what, status) => {
    const { text } = await exchange([`GET /broken/${what} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`]);
    expect(statusesIn(text)).toEqual([status]);
    // A stream that broke off has no end.
    if (status === 200) expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
    else expect(failures.splice(0)).toHaveLength(1);
    expect(await isServed()).toBe(true);
  });
});

describe('a body', () => {
  const DEPTH = 30_000;
  it.each([
    ['nested deeply', `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`],
    [
      'nested deeply, with an integer that needs the exact parser',
      `${'[1234567890123456789,'.repeat(2_500)}1${']'.repeat(2_500)}`,
    ],
    [
      'nested deeply in objects, with such an integer',
      `${'{"a":'.repeat(10_000)}12345678901234567890${'}'.repeat(10_000)}`,
    ],
    ['an integer of sixty thousand digits', `{"n":${'9'.repeat(60_000)}}`],
    ['a number beyond all', '{"n":1e999999999}'],
    ['a prototype', '{"__proto__":{"n":"x"},"constructor":{"prototype":{"n":"x"}}}'],
    ['cut off in an escape', '{"n":"\\u00'],
    ['a byte that is no UTF-8', Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0xfe])],
  ])('that is %s is refused as the client’s fault', async (_shape, body) => {
    const { status, text } = await exchange(post(body));
    expect(status).toBe(400);
    expect(text).toMatch(/"code":"invalid_(json|field)"/);
    expect(failures).toEqual([]);
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(20_000_000, ' '))],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000, ' '))],
  ])('that unpacks from %s to three hundred times the limit is not unpacked', async (coding, body) => {
    const { status } = await exchange(post(body, `content-type: application/json\r\ncontent-encoding: ${coding}\r\n`));
    expect([413, 415]).toContain(status);
    expect(failures).toEqual([]);
    expect(await isServed()).toBe(true);
  });

  it('larger than the limit is refused by its length or, in chunks, as soon as it is', async () => {
    expect((await exchange(post(`{"n":"${'x'.repeat(70_000)}"}`))).status).toBe(413);
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const head =
      'POST /echo HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    expect((await exchange([head, chunk.repeat(8)])).status).toBe(413);
  });
});
