// Retries: what may be repeated is, what may not is not, and each attempt has its own token.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBearerToken } from '@presage/protocol';
import { createApiKeyPair, openPublicKey, verifyBearerToken } from '@presage/protocol/ed25519';
import { person } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TokenMaker } from '../src/api-key.ts';
import { exportText } from '../src/export.ts';
import { Http } from '../src/http.ts';
import { createPublicClient, createTradingClient, PresageApiError, PresageConnectionError } from '../src/index.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Responds to each request with the next of its answers, and with the last one from then on. */
async function serve(...answers: Answer[]): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  server = createServer((request, response) => {
    requests.push(request);
    answers[Math.min(requests.length, answers.length) - 1]?.(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function answer(status: number, body: object | string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

const breakOff: Answer = (_request, response) => void response.destroy();
const busy = answer(503, { error: 'The service is shedding load', code: 'overloaded', requestId: 'r1' });
const limited = answer(
  429,
  { error: 'Too many requests', code: 'rate_limited', requestId: 'r2' },
  { 'retry-after': '0' },
);
const fine = answer(200, '{"now":1,"nowMs":18446744073709551615}');

describe('a token', () => {
  it('follows the clock of a service that calls the first one expired, once, and from then on', async () => {
    const now = 1_900_000_000;
    const refusal = { error: 'token expired', code: 'token_expired', details: { ts: 1, now } };
    const { url, requests } = await serve(answer(401, refusal), fine, fine, answer(401, refusal));
    const tokens = new TokenMaker({ id: 'key', privateKey: '07'.repeat(32) });
    const send = () =>
      new Http({ url }).send({
        method: 'POST',
        path: '/',
        repeatable: 'unaccepted',
        authorization: (expired) => tokens.make(expired),
      });
    const timeOf = ({ headers }: IncomingMessage) =>
      parseBearerToken(String(headers.authorization).replace('Bearer ', ''))?.ts;
    await send();
    await send();
    const [first, ...later] = requests.map(timeOf);
    expect(Math.abs(Number(first) - Date.now() / 1_000)).toBeLessThan(60);
    expect(later).toHaveLength(2);
    for (const ts of later) expect(Math.abs(Number(ts) - now)).toBeLessThan(60);
    await expect(send()).rejects.toMatchObject({
      code: 'token_expired',
      remedy: expect.stringContaining('clock is off'),
    });
    expect(requests).toHaveLength(5);
  });
});

describe('a read', () => {
  it('is retried after a broken connection, a 503 and a 429, and keeps every digit', async () => {
    const { url, requests } = await serve(breakOff, busy, limited, fine);
    const { nowMs } = await createPublicClient({ url }).getTime();
    expect(nowMs).toBe(18_446_744_073_709_551_615n);
    expect(requests).toHaveLength(4);
  });

  it('is not retried when the refusal is final, and not forever', async () => {
    const refusal = {
      error: 'No market has this id',
      code: 'market_not_found',
      requestId: 'r3',
      details: { marketId: '0x' },
    };
    const { url, requests } = await serve(answer(404, refusal));
    const failing = createPublicClient({ url }).getMarket(`0x${'00'.repeat(32)}`);
    const { error, ...rest } = refusal;
    await expect(failing).rejects.toMatchObject({ ...rest, status: 404, retryable: false });
    await expect(failing).rejects.toThrow(error);
    expect(requests).toHaveLength(1);
    const gone = await serve(breakOff);
    await expect(createPublicClient({ url: gone.url, retries: 2 }).getTime()).rejects.toThrow(PresageConnectionError);
    expect(gone.requests).toHaveLength(3);
  });

  it('times out one attempt, and names a response that did not come from the service', async () => {
    const silent = await serve(() => undefined, fine);
    await createPublicClient({ url: silent.url, timeoutMs: 100 }).getTime();
    expect(silent.requests).toHaveLength(2);
    const proxy = await serve(answer(404, '<html>', { 'content-type': 'text/html', 'x-request-id': 'p1' }));
    await expect(createPublicClient({ url: proxy.url }).getTime()).rejects.toMatchObject({
      code: 'unexpected_answer',
      status: 404,
      requestId: 'p1',
    });
  });

  it('fails at once when the service asks for a wait of more than a minute', async () => {
    const spent = answer(429, { error: 'x', code: 'relayer_budget_spent' }, { 'retry-after': '3540' });
    const { url, requests } = await serve(spent);
    const refused = { code: 'relayer_budget_spent', retryable: true, retryAfterMs: 3_540_000 };
    await expect(createPublicClient({ url }).getTime()).rejects.toMatchObject(refused);
    expect(requests).toHaveLength(1);
  });

  it('says why there is no answer', async () => {
    const { url } = await serve(fine);
    server?.close();
    const failing = createPublicClient({ url, retries: 0 }).getTime();
    await expect(failing).rejects.toThrow(/^no answer from http:.* connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
  });

  it('stops when it is aborted while it waits', async () => {
    const { url } = await serve(answer(429, { error: 'x', code: 'rate_limited' }, { 'retry-after': '20' }));
    const controller = new AbortController();
    const reading = createPublicClient({ url }).getTime({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('a write', () => {
  const config = answer(200, { authRequired: true, chains: [] });
  const { privateKeyHex, publicKeyHex } = createApiKeyPair();
  const apiKey = { id: 'key1', privateKey: privateKeyHex };

  it('that the service cannot recognise is retried only when nothing was done', async () => {
    const { url, requests } = await serve(config, limited, breakOff);
    const client = createTradingClient({ url, account: person('alice'), apiKey });
    await expect(client.cancelAll()).rejects.toThrow(PresageConnectionError);
    expect(requests).toHaveLength(3);
  });

  it('carries a new valid token at each attempt', async () => {
    const { url, requests } = await serve(config, busy, breakOff, answer(200, { expiresAt: 5 }));
    await createTradingClient({ url, account: person('alice'), apiKey }).heartbeat(5);
    const tokens = requests.slice(1).map(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? '');
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) {
      const parsed = parseBearerToken(token);
      expect(parsed).toMatchObject({ kid: 'key1' });
      expect(parsed && verifyBearerToken(parsed, openPublicKey(publicKeyHex))).toBe(true);
    }
  });

  it('whose answer was lost stays unanswered, though later attempts are refused for now', async () => {
    const attempt = async (...answers: Answer[]) => {
      const { url } = await serve(...answers);
      return new Http({ url, retries: 1 }).send({ method: 'POST', path: '/', body: {}, repeatable: 'always' });
    };
    await expect(attempt(breakOff, busy)).rejects.toThrow(PresageConnectionError);
    await expect(attempt(busy)).rejects.toMatchObject({ code: 'overloaded' });
    const final = answer(409, { error: 'The market is closed', code: 'market_closed' });
    await expect(attempt(breakOff, final)).rejects.toMatchObject({ code: 'market_closed' });
  });

  it.each([
    ['a page with 502', answer(502, '<html>', { 'content-type': 'text/html' })],
    ['a page with 200', answer(200, '<html>', { 'content-type': 'text/html' })],
    ['JSON of its own with 504', answer(504, { message: 'upstream timed out' })],
    ['nothing with 200', answer(200, '')],
  ])('is unanswered when a proxy answers for the service, with %s', async (_what, page) => {
    const attempt = async (repeatable: 'always' | 'unaccepted', ...answers: Answer[]) => {
      const { url, requests } = await serve(...answers);
      const sending = new Http({ url, retries: 1 }).send({ method: 'POST', path: '/', body: {}, repeatable });
      return { answered: await sending.catch((error: unknown) => error), sent: requests.length };
    };
    const lost = { answered: expect.any(PresageConnectionError), sent: 2 };
    expect(await attempt('always', page)).toEqual(lost);
    expect(await attempt('always', page, busy)).toEqual(lost);
    expect(await attempt('unaccepted', page)).toEqual({ ...lost, sent: 1 });
    expect(await attempt('always', page, answer(200, { id: 7 }))).toEqual({ answered: { id: 7 }, sent: 2 });
  });

  it.each([
    { method: 'POST', status: 301 },
    { method: 'POST', status: 308 },
    { method: 'DELETE', status: 303 },
  ] as const)('is not sent through a redirect: $method $status', async ({ method, status }) => {
    const moved: Answer = (_request, response) => void response.writeHead(status, { location: '/elsewhere' }).end();
    const { url, requests } = await serve(moved, fine);
    const body = method === 'POST' ? { body: {} } : {};
    const sending = new Http({ url }).send({ method, path: '/', ...body, repeatable: 'always' });
    await expect(sending).rejects.toThrow('url must be the final address: got a redirect to /elsewhere');
    expect(requests).toHaveLength(1);
  });

  it('is refused by the SDK when the service requires a key and there is none', async () => {
    const { url, requests } = await serve(config);
    const client = createTradingClient({ url, account: person('alice') });
    await expect(client.cancelAll()).rejects.toThrow('setup()');
    expect(requests).toHaveLength(1);
  });

  it('refuses a malformed key', () => {
    expect(() => new TokenMaker({ id: 'x', privateKey: '0x12' })).toThrow('64 hex characters');
  });
});

it('an export is not the page of a proxy', async () => {
  const address = person('alice').address;
  const read = async (type: string) => {
    const { url } = await serve(answer(200, 'a,b\n', { 'content-type': type }));
    const parts: string[] = [];
    for await (const part of exportText({ url, dataset: 'trades', address })) parts.push(part);
    return parts.join('');
  };
  expect(await read('text/csv; charset=utf-8')).toBe('a,b\n');
  await expect(read('text/html')).rejects.toThrow(PresageConnectionError);
});

it('ignores a trailing slash in the URL', () => {
  expect(new Http({ url: 'http://127.0.0.1:1//' }).url).toBe('http://127.0.0.1:1');
  expect(new PresageApiError(500, { error: 'x', code: 'nobody_knows' }).retryable).toBe(true);
});
