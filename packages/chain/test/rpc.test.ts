// The RPC client against a server that misbehaves in each way a server can.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NodeReader } from '../src/node-reader.ts';
import { JsonRpc, RpcError, RpcUnavailable } from '../src/rpc.ts';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
});

type Call = { id: number; method: string; params: unknown[] };

async function serve(
  answer: (body: Call & Call[], response: ServerResponse) => void,
  timeoutMs = 2_000,
): Promise<JsonRpc> {
  server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(JSON.parse(Buffer.concat(chunks).toString('utf8')), response);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return new JsonRpc({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs, maxBatch: 3 });
}

describe('a call', () => {
  it('answers with the result', async () => {
    const rpc = await serve(({ id, method }, response) => response.end(JSON.stringify({ id, result: method })));
    expect(await rpc.request('eth_x')).toBe('eth_x');
  });

  it('throws what the node says, with code and data', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' };
    const rpc = await serve(({ id }, response) => response.end(JSON.stringify({ id, error })));
    const thrown = await rpc.request('eth_call').catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(RpcError);
    expect(thrown).toMatchObject(error);
  });

  const failures: [string, string, (id: number, response: ServerResponse) => void][] = [
    ['a server error', 'status', (_, response) => response.writeHead(502).end('{}')],
    ['a rate limit', 'status', (id, response) => response.writeHead(429).end(JSON.stringify({ id, result: 1 }))],
    ['a page instead of JSON', 'garbage', (_, response) => response.end('<html>')],
    ['an answer to another call', 'garbage', (id, response) => response.end(JSON.stringify({ id: id + 1, result: 1 }))],
    ['neither result nor error', 'garbage', (id, response) => response.end(JSON.stringify({ id }))],
    ['a cut connection', 'transport', (_, response) => response.destroy()],
    [
      'half an answer',
      'transport',
      (_, response) => response.writeHead(200, { 'content-length': 99 }).write('{"id', () => response.destroy()),
    ],
    ['silence', 'timeout', () => undefined],
    ['silence in the middle of an answer', 'timeout', (_, response) => response.writeHead(200).write('{"id')],
  ];
  it.each(failures)('is unavailable after %s', async (_, reason, answer) => {
    const timeoutMs = reason === 'timeout' ? 150 : 20_000;
    const rpc = await serve(({ id }, response) => answer(id, response), timeoutMs);
    const thrown = await rpc.request('eth_x').catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(RpcUnavailable);
    expect(thrown).toMatchObject({ reason });
  });

  it('is asked once, whatever comes back', async () => {
    let asked = 0;
    const rpc = await serve((_, response) => {
      asked += 1;
      response.writeHead(503).end();
    });
    await expect(rpc.request('eth_blockNumber')).rejects.toThrow();
    expect(asked).toBe(1);
  });

  it('ends when the client is closed', async () => {
    const rpc = await serve(() => rpc.close());
    await expect(rpc.request('eth_x')).rejects.toMatchObject({ reason: 'closed' });
    await expect(rpc.request('eth_x')).rejects.toMatchObject({ reason: 'closed' });
  });
});

describe('a batch', () => {
  it('keeps the order of the calls, splits by size, and gives each call its own outcome', async () => {
    const sizes: number[] = [];
    const rpc = await serve((calls, response) => {
      sizes.push(calls.length);
      const replies = calls.map(({ id, method }) =>
        method === 'bad' ? { id, error: { code: -1, message: 'no' } } : { id, result: method },
      );
      response.end(JSON.stringify(replies.filter((_, index) => calls[index]!.method !== 'lost').reverse()));
    });
    const outcomes = await rpc.batch(['a', 'bad', 'lost', 'd'].map((method) => ({ method })));
    expect(sizes).toEqual([3, 1]);
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.result : outcome.error.name))).toEqual([
      'a',
      'RpcError',
      'RpcUnavailable',
      'd',
    ]);
  });

  it('never throws: a failed request fails all its calls', async () => {
    const rpc = await serve((_, response) => response.writeHead(500).end());
    const outcomes = await rpc.batch([{ method: 'a' }, { method: 'b' }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false]);
  });
});

describe('a reader of nodes', () => {
  it('does not accept a header of another height or a receipt of another transaction', async () => {
    const hash = `0x${'a'.repeat(64)}` as const;
    const header = { number: '0x5', hash, parentHash: hash, timestamp: '0x1', logsBloom: '0x' };
    const receipt = { transactionHash: `0x${'b'.repeat(64)}`, blockNumber: '0x1', blockHash: hash, status: '0x1' };
    const rpc = await serve((calls, response) =>
      response.end(
        JSON.stringify(
          calls.map(({ id, method }) => ({ id, result: method === 'eth_getBlockByNumber' ? header : receipt })),
        ),
      ),
    );
    const node = new NodeReader(rpc);
    expect((await node.headers([5, 6])).map((answer) => answer?.number)).toEqual([5, undefined]);
    expect(await node.receipts([hash])).toEqual([undefined]);
  });
});
