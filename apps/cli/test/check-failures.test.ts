// What a check of an exchange ends with when it cannot be made, or finds damage: an exit code and words, never a stack.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { openStandIn, typeAt } from './stand-in.ts';

const EMPTY = { frames: [], publishedSeq: 0, nextSeq: 1, head: null };
const DAMAGED = { frames: [{ bytes: 'AAAA' }], publishedSeq: 5, nextSeq: 6, head: null };
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/v1/config': { chains: [{ chainId: 1, settlement: {} }], receiptKey: `0x${'00'.repeat(32)}` },
  '/api/v1/journal/head': { heads: [{ partition: 'm0' }], delaySeconds: 0 },
  '/api/v1/journal/anchors': { contract: null, operator: null, count: 0, anchors: [] },
  // A node of chain 2 that has nothing else to say, and a page that is no node.
  '/node': { result: '0x2' },
};

let service: Awaited<ReturnType<typeof openStandIn>>;
let url: string;
let page: object;

beforeEach(async () => {
  page = EMPTY;
  service = await openStandIn(({ url: path = '' }, response) => {
    const [route = ''] = path.split('?');
    if (route === '/page') response.end('<html>');
    else response.end(JSON.stringify(ANSWERS[route] ?? page));
  });
  url = service.url;
});
afterEach(() => service.close());

const presage = (...args: string[]) => typeAt(url, args);

describe('a verification', () => {
  it('without a node that answers is not possible, and does not name the key in its address', async () => {
    const { code, text } = await presage('verify', '--no-signatures', '--rpc', `${url}/page?key=secret`);
    expect([code, text]).toEqual([EXIT_CODES.unreachable.code, expect.stringContaining('gives no usable answer')]);
    expect(text).not.toContain('secret');
    expect(text).not.toContain('    at ');
  });

  it('with a node of another chain is no comparison with the chain', async () => {
    const { code, text } = await presage('verify', '--no-signatures', '--rpc', `${url}/node`);
    expect([code, text]).toEqual([EXIT_CODES.usage.code, expect.stringContaining('chain 2')]);
    expect(text).not.toContain('SOUND');
  });
});

it('an archive of a damaged journal ends as a check that failed', async () => {
  page = DAMAGED;
  const { code, text } = await presage('archive', '--out', 'never-written');
  expect([code, text]).toEqual([EXIT_CODES.unsound.code, expect.stringContaining('its bytes were changed')]);
  expect(text).not.toContain('    at ');
});
