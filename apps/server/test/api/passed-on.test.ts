// What another node answers is passed on whole, by what the endpoints say; everything else is answered here.
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PresageError } from '@presage/protocol';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { endpoint } from '../../src/api/endpoint.ts';
import { divertToSettler } from '../../src/api/passed-on.ts';
import { ReceivedBodies } from '../../src/api/received-bodies.ts';
import { walletEndpoints } from '../../src/api/routes/wallets.ts';

const common = {
  method: 'get',
  tag: 'Test',
  summary: 'A test',
  answer: Type.Null(),
  handle: async () => null,
} as const;
const endpoints = [
  endpoint({ ...common, id: 'position', path: '/api/v1/positions/:market' }),
  endpoint({ ...common, id: 'sync', path: '/api/v1/positions/:market/sync', answeredBy: 'settler' }),
  endpoint({ ...common, id: 'journal', path: '/api/v1/journal/:partition' }),
  endpoint({ ...common, id: 'anchors', path: '/api/v1/journal/anchors', answeredBy: 'settler' }),
];

describe('A request that the settler answers', () => {
  it.each([
    ['/api/v1/positions/0xab/sync', true],
    ['/api/v1/positions/0xab/sync?user=0xcd', true],
    ['/api/v1/positions/0xab', false],
    ['/api/v1/positions/0xab/0xcd/sync', false],
    ['/api/v1/journal/anchors', true],
    ['/api/v1/journal/anchors/', true],
    ['/api/v1/journal/%61nchors', true],
    ['/api/v1/journal/anchors#part', true],
    ['/api/v1/journal/anchors#part?limit=1', true],
    ['/api/v1/positions/0xab/sync%', false],
    ['/api/v1/journal/m0', false],
    ['/api/v1/journal/anchorsX', false],
    [undefined, false],
  ])('%s: %s', (url, isPassedOn) => {
    const passed: unknown[] = [];
    const divert = divertToSettler(endpoints, (request) => passed.push(request));
    const request = { url, headers: {}, socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
    expect(divert(request, new EventEmitter() as ServerResponse, new ReceivedBodies())).toBe(isPassedOn);
    expect(passed).toEqual(isPassedOn ? [request] : []);
  });

  it('takes a place, which the client with most of them loses to another', () => {
    const proxies = { trusted: ['10.0.0.1'], header: 'x-forwarded-for' } as const;
    const divert = divertToSettler(endpoints, () => undefined, { proxies, most: 3 });
    /** A request that the settler never answers, by way of a proxy. */
    const ask = (address: string) => {
      const seen = { isCut: false, status: 0 };
      const response = Object.assign(new EventEmitter(), {
        writeHead: (status: number) => {
          seen.status = status;
          return { end: () => undefined };
        },
      });
      const destroy = () => {
        seen.isCut = true;
        response.emit('close');
      };
      const socket = { remoteAddress: '10.0.0.1', destroy };
      const request = { url: '/api/v1/journal/anchors', headers: { 'x-forwarded-for': address }, socket };
      divert(request as unknown as IncomingMessage, response as unknown as ServerResponse, new ReceivedBodies());
      return { seen, leave: () => response.emit('close') };
    };
    const crowd = ['192.0.2.1', '192.0.2.1', '192.0.2.1'].map(ask);
    const [one, another] = ['192.0.2.2', '192.0.2.3'].map(ask);
    expect(crowd.map(({ seen }) => seen.isCut)).toEqual([true, true, false]);
    expect(ask('192.0.2.4').seen).toEqual({ isCut: false, status: 503 });
    one?.leave();
    expect(ask('192.0.2.4').seen).toEqual({ isCut: false, status: 0 });
    expect(another?.seen).toEqual({ isCut: false, status: 0 });
  });

  it.each([
    ['/api/v1/journal/anchors', 'body_too_large', undefined],
    ['/api/v1/relayer/split', 'body_too_large', undefined],
    ['/api/v1/relayer/split', 'partition_unavailable', 1],
  ] as const)('is refused at %s as the settler would: %s', (url, code, retryAfter) => {
    const split = endpoint({ ...common, id: 'split', path: '/api/v1/relayer/split', answeredBy: 'settler' });
    const error = new PresageError(code);
    const divert = divertToSettler([...endpoints, split], (_request, _response, _body, refuse) => refuse(error));
    let [status, text, sent]: [number, string, Record<string, unknown>] = [0, '', {}];
    const response = Object.assign(new EventEmitter(), {
      writeHead: (...answer: [number, Record<string, unknown>]) => {
        [status, sent] = answer;
        return { end: (body: string) => (text = body) };
      },
    });
    const request = { url, headers: {}, socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
    const outcome = code === 'body_too_large' ? error : Buffer.alloc(0);
    divert(request, response as unknown as ServerResponse, { receive: (_request, received) => received(outcome) });
    expect(status).toBe(error.status);
    expect(JSON.parse(text)).toEqual({
      ...(url.includes('relayer') && { success: false }),
      error: error.message,
      code,
      requestId: sent['X-Request-Id'],
    });
    expect(sent['X-Request-Id']).toMatch(/./);
    expect(sent['Retry-After']).toBe(retryAfter);
  });

  it('asks for a nonce, since only the settler knows the calls in flight', () => {
    const services = { reads: {}, chains: {} } as Parameters<typeof walletEndpoints>[0];
    const passedOn = walletEndpoints(services).filter(({ answeredBy }) => answeredBy === 'settler');
    expect(passedOn.map(({ id }) => id)).toEqual(['getClaimData', 'getContractNonce']);
  });
});
