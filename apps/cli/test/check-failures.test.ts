// What a check of an exchange ends with when it cannot be made, or finds damage: an exit code and words, never a stack.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { runCommand } from '../src/run-command.ts';

const EMPTY = { frames: [], publishedSeq: 0, nextSeq: 1, head: null };
const DAMAGED = { frames: [{ bytes: 'AAAA' }], publishedSeq: 5, nextSeq: 6, head: null };
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/v1/config': { chains: [{ chainId: 1, settlement: {} }], receiptKey: `0x${'00'.repeat(32)}` },
  '/api/v1/journal/head': { heads: [{ partition: 'm0' }], delaySeconds: 0 },
  '/api/v1/journal/anchors': { contract: null, operator: null, count: 0, anchors: [] },
  // A node of chain 2 that has nothing else to say, and a page that is no node.
  '/node': { result: '0x2' },
};

let server: Server;
let url: string;
let page: object;

beforeEach(async () => {
  page = EMPTY;
  server = createServer(({ url: path = '' }, response) => {
    const [route = ''] = path.split('?');
    if (route === '/page') response.end('<html>');
    else response.end(JSON.stringify(ANSWERS[route] ?? page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function presage(...args: string[]) {
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text) };
  const code = await runCommand(args, { env: { PRESAGE_URL: url }, stdout: sink, stderr: sink });
  return { code, text: said.join('') };
}

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
