// Requests that are read without node:http: whatever is written to a socket is understood and answered as node:http does it.
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isLongRun, SeededRandom, SILENT_LOG, seedFromEnv, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readQuickRequest } from '../../src/api/http/quick-request.ts';
import type { Route } from '../../src/api/http/request.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';

const CONVERSATIONS = isLongRun ? 20_000 : 400;
const AT_ONCE = 40;
const NO_SOCKET = new Socket();
const random = new SeededRandom(seedFromEnv(1));

class Served {
  readonly listener: HttpListener;
  port = 0;
  /** Answers of GET /wait, given when the test says so. */
  readonly waiting: (() => void)[] = [];
  /** Failures of handlers that have answered already. */
  readonly failing: (() => void)[] = [];
  left = 0;
  readonly sockets: Socket[] = [];

  constructor(isQuick: boolean) {
    this.listener = new HttpListener({ isQuick });
    this.listener.server.on('connection', (socket) => this.sockets.push(socket));
  }

  async open(): Promise<void> {
    const routes: Route[] = [
      { method: 'POST', path: '/echo', handler: async ({ body, url }) => ({ url, body }) },
      { method: 'DELETE', path: '/echo', handler: async ({ query }) => ({ query }) },
      { method: 'POST', path: '/order', isShedFirst: true, handler: async ({ headers }) => ({ headers }) },
      { method: 'GET', path: '/headers/:name', handler: async ({ headers, params }) => ({ headers, params }) },
      { method: 'GET', path: '/none', handler: async (_request, reply) => reply.code(304).send() },
      { method: 'GET', path: '/bytes', handler: (_request, reply) => reply.send(Buffer.from('bytes é')) },
      { method: 'GET', path: '/long', handler: (_request, reply) => reply.send('é'.repeat(9_000)) },
      { method: 'GET', path: '/broken', handler: (_request, reply) => reply.header('x-bad', 'a\nb').send('never') },
      {
        method: 'GET',
        path: '/wait',
        handler: (_request, reply) => {
          reply.raw.once('close', () => {
            this.left += 1;
          });
          return new Promise((resolve) => this.waiting.push(() => resolve({ waited: true })));
        },
      },
      {
        method: 'GET',
        path: '/answered',
        handler: (_request, reply) => {
          reply.send('answered');
          return new Promise((_resolve, reject) => this.failing.push(() => reject(new Error('too late'))));
        },
      },
    ];
    const options = { log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
    openHttpServer({ listener: this.listener, ...options }, [routes]);
    this.port = Number(new URL(await this.listener.listen(0, '127.0.0.1')).port);
  }
}

const quick = new Served(true);
const node = new Served(false);
beforeAll(async () => {
  await quick.open();
  await node.open();
});
afterAll(async () => {
  await quick.listener.close();
  await node.listener.close();
});

const WAIT = 'GET /wait HTTP/1.1\r\nHost: a\r\n\r\n';
const FIRST = 'GET /none HTTP/1.1\r\nHost: a\r\n\r\n';

class Client {
  readonly socket: Socket;
  #received = '';
  isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      this.#received += data.toString('latin1');
    });
    socket.once('close', () => {
      this.isClosed = true;
    });
    onTestFinished(() => void socket.destroy());
  }

  /** Its first request is answered: the next one may be read without node:http. */
  static async open({ port }: Served): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const client = new Client(socket);
    await once(socket, 'connect');
    socket.write(FIRST);
    await waitFor('the first answer', () => client.#received.endsWith('\r\n\r\n'), { pollMs: 2 });
    client.#received = '';
    return client;
  }

  /** Without what differs from answer to answer. */
  get received(): string {
    return this.#received
      .replaceAll(/\r\nDate: [^\r]+/g, '\r\nDate: now')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'an id');
  }

  get outcome(): string {
    return `${this.received}${this.isClosed ? '[closed]' : '[open]'}`;
  }
}

function pick<T>(values: readonly T[]): T {
  return values[random.below(values.length)]!;
}

const LINES = [
  ...[
    'POST /echo HTTP/1.1',
    'POST /echo?a=1&a=2#f HTTP/1.1',
    'DELETE /echo?x=%41&y=é HTTP/1.1',
    'POST /order HTTP/1.1',
  ],
  ...['GET /headers/a%2Fb HTTP/1.1', 'GET /headers/%zz HTTP/1.1', 'GET /headers/x HTTP/1.1', 'GET /none HTTP/1.1'],
  ...[
    'GET /bytes HTTP/1.1',
    'GET /long HTTP/1.1',
    'GET /broken HTTP/1.1',
    'HEAD /bytes HTTP/1.1',
    'OPTIONS /echo HTTP/1.1',
  ],
  ...['GET //none HTTP/1.1', 'GET /nobody HTTP/1.1', 'POST /none HTTP/1.1', 'get /none HTTP/1.1', 'GET /none HTTP/1.0'],
  ...[
    'GET http://a/none HTTP/1.1',
    'GET * HTTP/1.1',
    'GET  /none HTTP/1.1',
    'GET /none  HTTP/1.1',
    'GET /no\0ne HTTP/1.1',
  ],
  ...[
    'GET /none HTTP/1.1 ',
    ' GET /none HTTP/1.1',
    '\r\nGET /none HTTP/1.1',
    'GET /none HTTP/2.0',
    'POST /echo/ HTTP/1.1',
  ],
  ...['PUT /echo HTTP/1.1', 'GET /none\tHTTP/1.1', 'GET none HTTP/1.1', 'POST /echo http/1.1', 'GET /none#a HTTP/1.1'],
];
const HEADERS = [
  ...[
    'Host: a',
    'host: b',
    'Host:a',
    'Host:   a  ',
    'Host : a',
    'Host: a\t',
    'Host:',
    'HOST: a.example:80',
    ' Host: a',
  ],
  ...['Content-Type: application/json', 'content-type:application/json', 'Content-Type: text/plain', 'Accept: */*'],
  ...[
    'Connection: keep-alive',
    'Connection: Keep-Alive',
    'Connection: close',
    'Connection: x, close',
    'Connection: upgrade',
  ],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: identity', 'Expect: 100-continue', 'Expect: x', 'Upgrade: h2c'],
  ...[
    'Origin: http://a',
    'Origin: http://é',
    'Accept-Encoding: gzip',
    'Authorization: Bearer x',
    'X-A: 1',
    'X-A: 2',
    'X-A: 1 2',
  ],
  ...[
    'Cookie: a',
    'Cookie: b',
    'Set-Cookie: a',
    'constructor: x',
    '__proto__: x',
    'toString: x',
    'X-B: a\r\n b',
    'X-C: a\0b',
  ],
  ...[
    'X-D: a\x7fb',
    'X-E: a\rb',
    'X-F: a\nX-G: b',
    'X_H: 1',
    'X!: 1',
    'X"Y: 1',
    'no colon',
    ': empty',
    'Proxy-Connection: close',
  ],
  ...[
    `X-Long: ${'a'.repeat(9_000)}`,
    `X-Longer: ${'a'.repeat(17_000)}`,
    'Keep-Alive: timeout=1',
    'TE: trailers',
    'Trailer: x',
  ],
];
const LENGTHS = [
  '+2',
  '-1',
  '0',
  '00',
  '1e1',
  '0x2',
  '2, 2',
  '2 2',
  '',
  '65537',
  '99999999999999999999',
  '1',
  '3',
  '5',
];
const BODIES = [
  '',
  '{}',
  '{"a":1}',
  '[',
  '"é"',
  '{"a":"💥"}',
  'GET /none HTTP/1.1\r\nHost: a\r\n\r\n',
  '2\r\n{}\r\n0\r\n\r\n',
];

/** Often plain, and otherwise wrong in one or two places. */
function drawRequest(): Buffer {
  const body = Buffer.from(pick(BODIES));
  const isPlain = random.chance(0.6);
  const headers = ['Host: a', ...(body.length > 0 ? ['Content-Type: application/json'] : [])];
  const length = random.chance(isPlain ? 0 : 0.15) ? pick(LENGTHS) : String(body.length);
  if (body.length > 0 || random.chance(0.1)) headers.push(`Content-Length: ${length}`);
  for (let more = isPlain ? 0 : random.below(3); more > 0; more--) headers.splice(random.below(3), 0, pick(HEADERS));
  if (!isPlain && random.chance(0.05)) headers.shift();
  if (!isPlain && random.chance(0.02)) headers.push(...Array.from({ length: 60 }, (_, index) => `X-${index}: 1`));
  const lineEnd = random.chance(0.03) ? '\n' : '\r\n';
  const line = isPlain ? pick(LINES.slice(0, 11)) : pick(LINES);
  const head = `${[line, ...headers].join(lineEnd)}${lineEnd}${lineEnd}`;
  const bytes = Buffer.concat([Buffer.from(head, random.chance(0.5) ? 'utf8' : 'latin1'), body]);
  if (random.chance(0.05)) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

/** One to four requests, in pieces that end with them or somewhere else. */
function drawPieces(): Buffer[] {
  const requests = Array.from({ length: random.int(1, 4) }, drawRequest);
  const pieces = random.chance(0.25) ? [Buffer.concat(requests)] : requests;
  return pieces.flatMap((piece) => {
    if (random.chance(0.85)) return [piece];
    const at = random.below(piece.length);
    return [piece.subarray(0, at), piece.subarray(at)];
  });
}

/** What both have answered when nothing differs any more; the text of both if it stays different. */
async function converse(pieces: readonly Buffer[]): Promise<readonly [string, string]> {
  const clients = await Promise.all([Client.open(quick), Client.open(node)]);
  const [mine, nodes] = clients;
  const isSame = () => mine.outcome === nodes.outcome;
  for (const piece of pieces) {
    for (const { socket } of clients) if (socket.writable) socket.write(piece);
    await sleep(random.chance(0.5) ? 8 : 30);
  }
  for (let calm = 0, waits = 0; calm < 5 && waits < 400; waits++) {
    calm = isSame() ? calm + 1 : 0;
    await sleep(10);
  }
  for (const { socket } of clients) socket.end();
  for (let waits = 0; waits < 400 && !(isSame() && mine.isClosed); waits++) await sleep(10);
  return [mine.outcome, nodes.outcome];
}

describe('a request that is read without node:http', () => {
  it('is answered as node:http answers it, whatever its bytes are', {
    timeout: isLongRun ? 900_000 : 60_000,
  }, async () => {
    let read = 0;
    for (let done = 0; done < CONVERSATIONS; done += AT_ONCE) {
      const drawn = Array.from({ length: AT_ONCE }, drawPieces);
      read += drawn.flat().filter((piece) => readQuickRequest(piece, NO_SOCKET) !== undefined).length;
      const outcomes = await Promise.all(drawn.map(async (pieces) => ({ pieces, answers: await converse(pieces) })));
      for (const { pieces, answers } of outcomes) {
        expect(answers[0], JSON.stringify(pieces.map((piece) => piece.toString('latin1')))).toBe(answers[1]);
      }
    }
    // Plain ones stand behind each other, too, and in pieces: those are node's.
    expect(read).toBeGreaterThan(CONVERSATIONS / 8);
  });

  it('never reaches node:http, on a connection whose first request did', async () => {
    let seen = 0;
    quick.listener.server.prependListener('request', () => {
      seen += 1;
    });
    const client = await Client.open(quick);
    expect(seen).toBe(1);
    client.socket.write('GET /bytes HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor('the answer', () => client.received.endsWith('bytes \xc3\xa9'), { pollMs: 2 });
    client.socket.write('HEAD /bytes HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor('the other answer', () => client.received.split('HTTP/1.1 200').length === 3, { pollMs: 2 });
    expect(seen).toBe(2);
  });

  it('keeps its connection until it is answered when the service ends, and ends it then', async () => {
    const served = new Served(true);
    await served.open();
    const [busy, idle] = [await Client.open(served), await Client.open(served)];
    busy.socket.write(WAIT);
    await waitFor('the request', () => served.waiting.length === 1, { pollMs: 2 });
    const ended = served.listener.close();
    await sleep(50);
    expect(busy.isClosed).toBe(false);
    served.waiting[0]!();
    await ended;
    await waitFor('the end of both', () => busy.isClosed && idle.isClosed, { pollMs: 2 });
    expect(busy.received).toMatch(/^HTTP\/1.1 200 .*Connection: close.*"waited":true/s);
  });

  it('ends with its client: everything that waits for its answer is told', async () => {
    const client = await Client.open(quick);
    const { left } = quick;
    client.socket.write(WAIT);
    await waitFor('the request', () => quick.waiting.length === 1, { pollMs: 2 });
    client.socket.destroy();
    await waitFor('the end of the answer', () => quick.left === left + 1, { pollMs: 2 });
    quick.waiting.pop()!();
  });

  it('is answered before those that were sent behind it', async () => {
    const client = await Client.open(quick);
    client.socket.write(WAIT);
    await waitFor('the request', () => quick.waiting.length === 1, { pollMs: 2 });
    for (let sent = 0; sent < 20; sent++) {
      client.socket.write(sent % 2 === 0 ? 'GET /bytes HTTP/1.1\r\n' : 'Host: a\r\n\r\n');
      await sleep(3);
    }
    expect(client.received).toBe('');
    quick.waiting.pop()!();
    await waitFor('all answers', () => client.received.split('HTTP/1.1 200').length === 12, { pollMs: 5 });
    expect(client.received.indexOf('waited')).toBeLessThan(client.received.indexOf('bytes'));
  });

  it('may take longer than a connection waits for its next request', async () => {
    const client = await Client.open(quick);
    client.socket.write(WAIT);
    await waitFor('the request', () => quick.waiting.length === 1, { pollMs: 2 });
    const socket = quick.sockets.at(-1)!;
    socket.emit('timeout');
    expect(client.isClosed).toBe(false);
    quick.waiting.pop()!();
    await waitFor('the answer', () => client.received.includes('waited'), { pollMs: 2 });
    socket.emit('timeout');
    await waitFor('the end of the idle connection', () => client.isClosed, { pollMs: 2 });
  });

  it('leaves the next request of its connection alone when its handler fails behind the answer', async () => {
    const client = await Client.open(quick);
    client.socket.write('GET /answered HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor('the answer', () => client.received.endsWith('answered'), { pollMs: 2 });
    client.socket.write(WAIT);
    await waitFor('the request', () => quick.waiting.length === 1, { pollMs: 2 });
    quick.failing.pop()!();
    await sleep(20);
    quick.waiting.pop()!();
    await waitFor('the other answer', () => client.received.includes('waited') || client.isClosed, { pollMs: 2 });
    expect(client.received).toContain('waited');
  });

  it('is not begun behind an answer that ends its connection', async () => {
    const served = new Served(true);
    await served.open();
    const client = await Client.open(served);
    client.socket.write(WAIT);
    await waitFor('the request', () => served.waiting.length === 1, { pollMs: 2 });
    client.socket.write(WAIT);
    await sleep(20);
    served.listener.endConnections();
    served.waiting[0]!();
    await waitFor('the end', () => client.isClosed, { pollMs: 2 });
    expect(client.received).toMatch(/Connection: close.*"waited":true/s);
    expect(served.waiting).toHaveLength(1);
    await served.listener.close();
  });
});

describe('what is kept of a request', () => {
  it('does not hold its other bytes', () => {
    const padding = `X-Padding: ${'a'.repeat(7_000)}`;
    const kept: unknown[] = [];
    const before = heapBytes();
    for (let sent = 0; sent < 2_000; sent++) {
      const head = `GET /none?asked=${1e12 + sent} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.100.100.${1e9 + sent}`;
      const request = readQuickRequest(Buffer.from(`${head}\r\n${padding}\r\n\r\n`), NO_SOCKET)!;
      kept.push(request.headers['x-forwarded-for'], request.url);
    }
    expect((heapBytes() - before) / kept.length).toBeLessThan(500);
  });
});

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
