// Bodies that come slowly: what is held of them all together stays below a limit, at the cost of the longest.
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ReceivedBodies } from '../../src/api/received-bodies.ts';

const LIMIT = 100_000;
let bodies: ReceivedBodies;
let outcomes: Record<string, string>;
let port: number;
const server = createServer((request, response) => {
  bodies.receive(request, (outcome) => {
    outcomes[request.url ?? ''] = Buffer.isBuffer(outcome) ? `${outcome.length} bytes` : outcome.code;
    response.end();
  });
});

beforeEach(async () => {
  bodies = new ReceivedBodies(LIMIT);
  outcomes = {};
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function send(text: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  return socket;
}

const measured = (path: string, part: string, bytes = 65_536) =>
  send(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n${part}`);
const chunked = (path: string, chunks: string) =>
  send(`POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`);

describe('incomplete bodies', () => {
  it('are held up to a common limit; beyond it the longest is refused and the others continue', async () => {
    const short = measured('/short', 'x'.repeat(3_000), 3_001);
    measured('/long', 'x'.repeat(60_000));
    await waitFor('both are held', async () => bodies.partialBytes > 60_000);
    chunked('/next', `c350\r\n${'x'.repeat(50_000)}\r\n`);
    await waitFor('one is refused', async () => '/long' in outcomes);
    short.write('x');
    await waitFor('the short one is complete', async () => '/short' in outcomes);
    expect(outcomes).toEqual({ '/long': 'overloaded', '/short': '3001 bytes' });
    expect(bodies.partialBytes).toBeLessThanOrEqual(LIMIT);
  });

  it('take no more memory than their length when they are sent byte by byte', async () => {
    chunked('/bytes', '1\r\nx\r\n'.repeat(5_000));
    await waitFor('all have come', async () => bodies.partialBytes >= 5_000);
    expect(bodies.partialBytes).toBeLessThan(10_000);
  });

  it('are forgotten when their sender leaves', async () => {
    const senders = ['/one', '/other'].map((path) => measured(path, 'x'.repeat(20_000)));
    await waitFor('both are held', async () => bodies.partialBytes >= 40_000);
    for (const sender of senders) sender.destroy();
    await waitFor('nothing is held', async () => bodies.partialBytes === 0);
    expect(outcomes).toEqual({});
  });

  it('are refused by their announced length, or as soon as they are too long', async () => {
    measured('/announced', '', 65_537);
    chunked('/chunks', `4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(5));
    await waitFor('both are refused', async () => Object.keys(outcomes).length === 2);
    expect(outcomes).toEqual({ '/announced': 'body_too_large', '/chunks': 'body_too_large' });
    expect(bodies.partialBytes).toBe(0);
  });
});

it('calls back at once for a request without a body', async () => {
  send('GET /none HTTP/1.1\r\nhost: a\r\n\r\n');
  await waitFor('it is received', async () => '/none' in outcomes);
  expect(outcomes).toEqual({ '/none': '0 bytes' });
});
