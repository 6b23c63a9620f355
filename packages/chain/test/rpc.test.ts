// The RPC client against a server that misbehaves in each way a server can.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { JsonRpc } from '../src/json-rpc.ts';
import { NodeReader } from '../src/node-reader.ts';
import { RpcError, type RpcOutcome, RpcUnavailable } from '../src/rpc.ts';

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

function* endless(): Generator<Buffer> {
  const part = Buffer.alloc(1024 * 1024, ' ');
  for (;;) yield part;
}

describe('a call', () => {
  it('answers with the result', async () => {
    const rpc = await serve(({ id, method }, response) => response.end(JSON.stringify({ id, result: method })));
    expect(await rpc.request('eth_x')).toBe('eth_x');
  });

  it('throws what the node says, with code and data', async () => {
    const error = { code: 3, message: 'execution reverted: too many requests', data: '0x08c379a0' };
    const rpc = await serve(({ id }, response) => response.end(JSON.stringify({ id, error })));
    const thrown = await rpc.request('eth_call').catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(RpcError);
    expect(thrown).toMatchObject(error);
  });

  const failures: [string, string, (id: number, response: ServerResponse) => void][] = [
    ['a server error', 'status', (_, response) => response.writeHead(502).end('{}')],
    ['a rate limit', 'status', (id, response) => response.writeHead(429).end(JSON.stringify({ id, result: 1 }))],
    [
      'a rate limit that is told as an error',
      'status',
      (id, response) => response.end(JSON.stringify({ id, error: { code: 429, message: 'compute units exceeded' } })),
    ],
    [
      'a rate limit that is told in words',
      'status',
      (id, response) =>
        response.end(JSON.stringify({ id, error: { code: -32007, message: '50/second request limit reached' } })),
    ],
    ['a page instead of JSON', 'garbage', (_, response) => response.end('<html>')],
    ['an answer to another call', 'garbage', (id, response) => response.end(JSON.stringify({ id: id + 1, result: 1 }))],
    ['neither result nor error', 'garbage', (id, response) => response.end(JSON.stringify({ id }))],
    ['an answer without an end', 'garbage', (_, response) => void pipeline(endless(), response, () => undefined)],
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
    const outcomes = await rpc.batch(['a', 'bad', 'lost', 'd', 'e'].map((method) => ({ method })));
    expect(sizes).toEqual([3, 2]);
    expect(outcomes.map(toText)).toEqual(['a', 'RpcError', 'RpcUnavailable', 'd', 'e']);
  });

  it('never throws: a failed request fails all its calls', async () => {
    const rpc = await serve((_, response) => response.writeHead(500).end());
    const outcomes = await rpc.batch([{ method: 'a' }, { method: 'b' }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false]);
  });
});

describe('questions of one turn', () => {
  const names = ['eth_blockNumber', 'eth_chainId', 'eth_gasPrice'] as const;
  const ask = (rpc: JsonRpc, methods: readonly string[] = names) =>
    Promise.all(methods.map((method) => rpc.request(method).catch((error: Error) => error.name)));
  /** A node that answers each call with its method, and says how many came at once. */
  const serveBatches = async (answer: (calls: Call[], replies: unknown[]) => unknown) => {
    const sizes: number[] = [];
    const rpc = await serve((body, response) => {
      const calls = Array.isArray(body) ? body : [body];
      sizes.push(calls.length);
      const replies = calls.map(({ id, method }) => ({ id, result: method }));
      const reply = Array.isArray(body) ? answer(body, replies) : replies[0];
      response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
    });
    return { rpc, sizes };
  };

  it('travel together, the same question once, and what has to be executed by itself', async () => {
    const { rpc, sizes } = await serveBatches((_, replies) => replies.toReversed());
    const [alone, together, batch] = await Promise.all([
      rpc.request('eth_call'),
      ask(rpc),
      rpc.batch([{ method: 'eth_gasPrice' }, { method: 'eth_chainId' }]),
    ]);
    expect(alone).toBe('eth_call');
    expect(together).toEqual(names);
    expect(batch.map(toText)).toEqual(['eth_gasPrice', 'eth_chainId']);
    expect(sizes.toSorted()).toEqual([1, 3]);
  });

  it('are asked anew in the next turn', async () => {
    let asked = 0;
    const { rpc } = await serveBatches((calls) => calls.map(({ id }) => ({ id, result: ++asked })));
    expect(await ask(rpc, ['eth_blockNumber', 'eth_chainId'])).toEqual([1, 2]);
    expect(await ask(rpc, ['eth_blockNumber', 'eth_chainId'])).toEqual([3, 4]);
  });

  it('fail each by itself: a refused, a lost and a doubled answer', async () => {
    const { rpc } = await serveBatches(([one, , three], replies) => [
      { id: one!.id, error: { code: -32000, message: 'no' } },
      replies[2],
      { id: three!.id, result: 'a second answer' },
      { id: 10_000, result: 'to a call of somebody else' },
      null,
    ]);
    expect(await ask(rpc)).toEqual(['RpcError', 'RpcUnavailable', 'eth_gasPrice']);
  });

  const refusals: [string, unknown][] = [
    ['an error for all', { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batches are not supported' } }],
    ['a list with one error for all', [{ id: null, error: { code: -32600, message: 'batch too large' } }]],
    ['a page', '<html>413 Request Entity Too Large</html>'],
    ['an empty list', []],
  ];
  it.each(refusals)('go one by one to a node that answers batches with %s, which is remembered', async (_, refusal) => {
    const { rpc, sizes } = await serveBatches(() => refusal);
    expect(await ask(rpc)).toEqual(names);
    // All three, the first alone, and with two left in parts of one.
    expect(sizes).toEqual([3, 1, 1, 1]);
    expect(await ask(rpc)).toEqual(names);
    expect(sizes.slice(4)).toEqual([1, 1, 1]);
  });

  it('go in as many as the node takes', async () => {
    const tooLarge = { id: null, error: { code: -32600, message: 'batch too large' } };
    const { rpc, sizes } = await serveBatches((calls, replies) => (calls.length > 2 ? tooLarge : replies));
    const many = [...names, 'eth_feeHistory', 'eth_getBalance', 'eth_getCode'];
    expect(await ask(rpc, many)).toEqual(many);
    sizes.length = 0;
    expect(await ask(rpc, many)).toEqual(many);
    expect(sizes.every((size) => size <= 2)).toBe(true);
  });

  it('go together again once a passing refusal is over', async () => {
    let isRefused = true;
    const { rpc, sizes } = await serveBatches((_, replies) => (isRefused ? [] : replies));
    await ask(rpc);
    isRefused = false;
    for (let turn = 0; turn < 20; turn += 1) expect(await ask(rpc)).toEqual(names);
    expect(sizes.at(-1)).toBe(3);
  });

  it('are offered together ever more seldom to a node that never takes them so', async () => {
    const { rpc, sizes } = await serveBatches(() => []);
    for (let turn = 0; turn < 200; turn += 1) expect(await ask(rpc)).toEqual(names);
    expect(sizes.filter((size) => size > 1).length).toBeLessThan(10);
    expect(sizes.slice(-100).every((size) => size === 1)).toBe(true);
  });

  it('are not asked again one by one of a node that is in trouble', async () => {
    const bodies: unknown[] = [];
    const rpc = await serve((body, response) => {
      bodies.push(body);
      response.end('<html>maintenance</html>');
    });
    expect(await ask(rpc)).toEqual(['RpcUnavailable', 'RpcUnavailable', 'RpcUnavailable']);
    expect(bodies).toHaveLength(2);
  });

  it('are not asked again one by one of a node that limits its clients', async () => {
    const bodies: Call[][] = [];
    const rpc = await serve((body, response) => {
      bodies.push([body].flat());
      response.end(JSON.stringify({ id: body.id ?? null, error: { code: -32005, message: 'limit exceeded' } }));
    });
    expect(await ask(rpc)).toEqual(['RpcError', 'RpcError', 'RpcError']);
    expect(bodies.map(({ length }) => length)).toEqual([3, 1]);
  });

  it('end when the client is closed before they are sent', async () => {
    const { rpc, sizes } = await serveBatches((_, replies) => replies);
    const asked = ask(rpc);
    rpc.close();
    expect(await asked).toEqual(['RpcUnavailable', 'RpcUnavailable', 'RpcUnavailable']);
    expect(sizes).toEqual([]);
  });
});

it('hands transactions one after another to a node that takes no batches', async () => {
  const seen: unknown[] = [];
  let isBusy = false;
  const rpc = await serve(async (body, response) => {
    if (body.id === undefined) return void response.end('{"id":null,"error":{"code":-32600,"message":"no batches"}}');
    expect(isBusy).toBe(false);
    isBusy = true;
    await new Promise((resolve) => setTimeout(resolve, 5));
    isBusy = false;
    seen.push(body.params[0]);
    response.end(JSON.stringify({ id: body.id, error: { code: -32000, message: 'nonce too low' } }));
  });
  const raws = ['0x01', '0x02', '0x03'] as const;
  const outcomes = await new NodeReader(rpc).sendRaw(raws);
  expect(seen).toEqual(raws);
  expect(outcomes.map(toText)).toEqual(['RpcError', 'RpcError', 'RpcError']);
});

function toText(outcome: RpcOutcome): unknown {
  return outcome.ok ? outcome.result : outcome.error.name;
}

describe('a reader of nodes', () => {
  it('does not accept a header of another height or a receipt of another transaction', async () => {
    const hash = `0x${'a'.repeat(64)}` as const;
    const header = { number: '0x5', hash, parentHash: hash, timestamp: '0x1', logsBloom: '0x' };
    const receipt = { transactionHash: `0x${'b'.repeat(64)}`, blockNumber: '0x1', blockHash: hash, status: '0x1' };
    const rpc = await serve((calls, response) =>
      response.end(
        JSON.stringify(
          calls.id === undefined ? calls.map(({ id }) => ({ id, result: header })) : { id: calls.id, result: receipt },
        ),
      ),
    );
    const node = new NodeReader(rpc);
    expect((await node.headers([5, 6])).map((answer) => answer?.number)).toEqual([5, undefined]);
    expect(await node.receipts([hash])).toEqual([undefined]);
  });
});
