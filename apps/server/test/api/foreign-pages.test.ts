// What a browser may be made to do by a page of somebody else, and whose address a request is counted under.

import { type IncomingHttpHeaders, request } from 'node:http';
import { SILENT_LOG } from '@presage/testkit';
import Type from 'typebox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endpoint, routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { ClientAddresses, toRateKey } from '../../src/api/request-origin.ts';

const quiet = SILENT_LOG;
const about = {
  path: '/thing',
  tag: 'Test',
  summary: 'A thing',
  answer: Type.Object({ done: Type.Boolean() }),
} as const;
const handle = async () => ({ done: true });

type ServerOptions = Partial<Parameters<typeof openHttpServer>[0]>;

async function open(options: ServerOptions) {
  const listener = new HttpListener();
  const url = new URL(await listener.listen(0, '127.0.0.1'));
  const base = { listener, log: quiet, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  const endpoints = [
    endpoint({ ...about, method: 'get', id: 'get', handle }),
    endpoint({ ...about, method: 'post', id: 'post', handle }),
  ];
  openHttpServer({ ...base, ...options }, [routesOf(endpoints)]);
  onTestFinished(() => listener.close());
  return (method: string, headers: Record<string, string> = {}) => ask(url.port, method, headers);
}

/** `fetch` would write the Host header by itself. */
function ask(port: string, method: string, headers: Record<string, string>) {
  return new Promise<{ status: number; code: string | undefined; headers: IncomingHttpHeaders }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path: '/thing', headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json');
        const { code } = (isJson ? JSON.parse(text) : {}) as { code?: string };
        resolve({ status: response.statusCode ?? 0, code, headers: response.headers });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('a page of another origin', () => {
  const pages = { origins: ['https://trade.example'], hosts: ['box.example'] };

  it.each([
    ['curl, which sends no origin', 'POST', {}, 200],
    ['the own page', 'POST', { host: 'localhost:8080', origin: 'http://localhost:8080' }, 200],
    ['the own page, reached by a container name', 'POST', { host: 'presage:8080', origin: 'http://presage:8080' }, 200],
    ['the own page, reached by a named host', 'POST', { host: 'box.example', origin: 'https://box.example' }, 200],
    ['a named page', 'POST', { origin: 'https://trade.example' }, 200],
    ['any page that reads', 'GET', { origin: 'https://evil.example' }, 200],
    ['any page that writes', 'POST', { origin: 'https://evil.example' }, 'origin_not_allowed'],
    [
      'a page on another port of this machine',
      'POST',
      { host: 'localhost:8080', origin: 'http://localhost:81' },
      'origin_not_allowed',
    ],
    ['a page in a sandboxed frame', 'POST', { origin: 'null' }, 'origin_not_allowed'],
    [
      'a page whose name was pointed here',
      'POST',
      { host: 'evil.example:8080', origin: 'http://evil.example:8080' },
      'host_not_allowed',
    ],
    ['a page whose name was pointed here, reading', 'GET', { host: 'evil.example:8080' }, 'host_not_allowed'],
    ['a name that pretends to be an address', 'GET', { host: '127.0.0.1.evil.example' }, 'host_not_allowed'],
    ['a host that is no host', 'GET', { host: 'a.b@127.0.0.1' }, 'host_not_allowed'],
    ['an address of IPv6', 'POST', { host: '[::1]:8080', origin: 'http://[::1]:8080' }, 200],
    ['a full name of this machine', 'GET', { host: 'localhost.:8080' }, 200],
  ])('%s: %s %o gets %s', async (_who, method, headers, expected) => {
    const send = await open({ pages });
    const { status, code } = await send(method, headers as Record<string, string>);
    expect(code ?? status).toBe(expected);
    if (code !== undefined) expect(status).toBe(403);
  });

  it('may write if the operator allows all pages, or if tokens protect writes', async () => {
    const origin = { origin: 'https://evil.example' };
    const opened = await open({ pages: { origins: '*', hosts: [] }, corsOrigins: '*' });
    expect(await opened('POST', origin)).toMatchObject({ status: 200 });
    const live = await open({});
    expect(await live('POST', { ...origin, host: 'evil.example' })).toMatchObject({ status: 200 });
  });

  it('may not even read where only the own page may', async () => {
    const send = await open({ corsOrigins: 'none' });
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
      expect((await send(method, headers)).headers['access-control-allow-origin'], method).toBeUndefined();
    }
  });

  it('cannot frame, sniff or embed what it gets', async () => {
    const send = await open({ pages });
    expect((await send('GET')).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      vary: 'Origin',
    });
  });

  it.each([
    ['a named page that wants to write', 'https://trade.example', 'POST', 'https://trade.example'],
    ['another one that wants to write', 'https://evil.example', 'DELETE', undefined],
    ['another one that wants to read', 'https://evil.example', 'GET', 'https://evil.example'],
  ])('is told before it asks: %s', async (_who, origin, method, allowed) => {
    const send = await open({ pages, corsOrigins: pages.origins });
    const wanted = { 'access-control-request-method': method, 'access-control-request-headers': 'authorization' };
    const { status, headers } = await send('OPTIONS', { origin, ...wanted });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      'access-control-allow-headers': 'authorization',
      vary: 'Origin, Access-Control-Request-Headers',
    });
    expect(headers['access-control-allow-origin']).toBe(allowed);
  });

  it('is refused a preflight without origin or method, with the code and the request id of every refusal', async () => {
    const send = await open({ pages });
    for (const headers of [{}, { origin: 'https://trade.example' }] as const) {
      const refused = await send('OPTIONS', headers);
      expect(refused).toMatchObject({ status: 400, code: 'invalid_field' });
      expect(refused.headers['x-request-id']).toMatch(/./);
    }
  });
});

describe('the address of a request', () => {
  const trusted = ['10.0.0.0/8', '2001:db8:ffff::/48', '127.0.0.1'];

  it.each([
    ['a stranger who writes the header', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['one proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a client who wrote the header before the proxy did', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['two proxies', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['proxies alone', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a proxy that writes ports', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['a proxy that writes IPv6', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['IPv4 in IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['words', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['an address with something after it', '10.0.0.1', '198.51.100.1 evil', '10.0.0.1'],
    ['nothing', '10.0.0.1', '', '10.0.0.1'],
  ])('of %s (%s, "%s") is %s', (_who, peer, header, expected) => {
    const addresses = new ClientAddresses({ trusted, header: 'x-forwarded-for' });
    const forged = 'for=192.0.2.66';
    expect(addresses.of(peer, { 'x-forwarded-for': header, forwarded: forged })).toBe(expected);
  });

  it('is read from Forwarded only, if the proxies write that header', () => {
    const addresses = new ClientAddresses({ trusted, header: 'forwarded' });
    const headers = {
      'x-forwarded-for': '192.0.2.66',
      forwarded: 'for=1.1.1.1, For="[2001:DB8::7]:47";proto=https;by=x',
    };
    expect(addresses.of('10.0.0.1', headers)).toBe('2001:db8::7');
    expect(addresses.of('10.0.0.1', { 'x-forwarded-for': '192.0.2.66' })).toBe('10.0.0.1');
    expect(addresses.of('10.0.0.1', { forwarded: 'for=_hidden' })).toBe('10.0.0.1');
  });

  it('counts by the /64 of IPv6, which one customer has, and by the whole of IPv4', () => {
    expect(toRateKey('198.51.100.1')).toBe('198.51.100.1');
    expect(toRateKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(toRateKey('2001:db8:1:2::1')).toBe(toRateKey('2001:0db8:0001:0002:ffff::9'));
    expect(toRateKey('::1')).toBe('0:0:0:0::/64');
  });

  it('has its own rate limit behind a shared proxy', async () => {
    const send = await open({ rateLimits: true, wallMs: () => 0, proxies: { trusted, header: 'x-forwarded-for' } });
    const statuses = async (from: string) => {
      const answers = await Promise.all(Array.from({ length: 130 }, () => send('POST', { 'x-forwarded-for': from })));
      return new Set(answers.map(({ status }) => status));
    };
    expect(await statuses('2001:db8:0:1::1')).toEqual(new Set([200, 429]));
    expect(await send('POST', { 'x-forwarded-for': '2001:db8:0:1::2' })).toMatchObject({ status: 429 });
    expect(await send('POST', { 'x-forwarded-for': '2001:db8:0:2::1' })).toMatchObject({ status: 200 });
  });

  it('is the address of the connection if no proxy is trusted, whatever the headers say', async () => {
    const send = await open({ rateLimits: true, wallMs: () => 0 });
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, index) => send('POST', { 'x-forwarded-for': `198.51.100.${index}` })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  });
});
