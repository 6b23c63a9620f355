// What another node answers is passed on whole, by what the endpoints say; everything else is answered here.
import type { IncomingMessage, ServerResponse } from 'node:http';
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
    ['/api/v1/positions/0xab/sync%', false],
    ['/api/v1/journal/m0', false],
    ['/api/v1/journal/anchorsX', false],
    [undefined, false],
  ])('%s: %s', (url, isPassedOn) => {
    const passed: unknown[] = [];
    const divert = divertToSettler(endpoints, (request) => passed.push(request));
    const request = { url, headers: {}, socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
    expect(divert(request, {} as ServerResponse, new ReceivedBodies())).toBe(isPassedOn);
    expect(passed).toEqual(isPassedOn ? [request] : []);
  });

  it('asks for a nonce, since only the settler knows the calls in flight', () => {
    const services = { reads: {}, chains: {} } as Parameters<typeof walletEndpoints>[0];
    const passedOn = walletEndpoints(services).filter(({ answeredBy }) => answeredBy === 'settler');
    expect(passedOn.map(({ id }) => id)).toEqual(['getClaimData', 'getContractNonce']);
  });
});
