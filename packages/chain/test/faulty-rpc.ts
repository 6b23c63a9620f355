// An HTTP proxy before a real node that fails in thirteen ways, all drawn from a seed.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from '@presage/protocol';
import { SeededRandom } from '@presage/testkit';
import { keccak256 } from 'viem';
import { JsonRpc } from '../src/json-rpc.ts';
import { RpcError } from '../src/rpc.ts';
import { FaultPlan, type FaultRates, type ReadFault, type SendFault, type TransportFault } from './fault-plan.ts';
import { StaleMemory } from './stale-memory.ts';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

type Reply = {
  jsonrpc: '2.0';
  id: number;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
};

export interface FaultyRpcOptions {
  readonly target: string;
  readonly seed: number;
  readonly rates: FaultRates;
}

/** Held transactions go out, newest first, after this long even if no other comes by. */
const HELD_MS = 30;
const HELD_COUNT = 3;

export class FaultyRpc {
  readonly plan: FaultPlan;
  readonly #target: JsonRpc;
  readonly #server: Server;
  readonly #memory = new StaleMemory();
  #held: Hex[] = [];

  private constructor(options: FaultyRpcOptions) {
    this.plan = new FaultPlan(new SeededRandom(options.seed), options.rates);
    this.#target = new JsonRpc({ url: options.target });
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async open(options: FaultyRpcOptions): Promise<FaultyRpc> {
    const proxy = new FaultyRpc(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#target.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = JSON.parse(await readBody(request)) as Call | Call[];
      const fault = this.plan.transport();
      if (fault !== null && refuses(fault, response)) return;
      // Two of the faults strike after the node has acted.
      const reply = Array.isArray(body) ? await this.#answerAll(body) : await this.#answer(body);
      if (fault === 'timeout-after') return;
      const text = JSON.stringify(reply);
      response.setHeader('content-type', 'application/json');
      if (fault !== 'connection-reset') return void response.end(text);
      response.setHeader('content-length', text.length);
      response.write(text.slice(0, text.length / 2), () => response.destroy());
    } catch {
      response.destroy();
    }
  }

  async #answerAll(calls: readonly Call[]): Promise<Reply[]> {
    if (calls.every(({ method }) => method !== 'eth_sendRawTransaction')) {
      return Promise.all(calls.map((call) => this.#answer(call)));
    }
    const replies: Reply[] = [];
    for (const call of calls) replies.push(await this.#answer(call));
    return replies;
  }

  async #answer({ id, method, params }: Call): Promise<Reply> {
    try {
      const result =
        method === 'eth_sendRawTransaction' ? await this.#send(params[0] as Hex) : await this.#read(method, params);
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  async #send(raw: Hex): Promise<unknown> {
    const fault = this.plan.send();
    if (fault === null) return this.#forward(raw);
    return this.#sendBadly(raw, fault);
  }

  async #sendBadly(raw: Hex, fault: SendFault): Promise<unknown> {
    if (fault === 'swallow') return keccak256(raw);
    if (fault === 'delay-and-reorder') return this.#hold(raw);
    if (fault === 'duplicate') {
      await this.#forward(raw).catch(() => undefined);
      return this.#forward(raw);
    }
    if (this.plan.random.chance(0.5)) await this.#forward(raw).catch(() => undefined);
    throw new RpcError(-32000, fault === 'false-known' ? 'already known' : 'nonce too low: next nonce 0, tx nonce 0');
  }

  #forward(raw: Hex): Promise<unknown> {
    return this.#target.request('eth_sendRawTransaction', [raw]);
  }

  #hold(raw: Hex): Hex {
    this.#held.push(raw);
    if (this.#held.length >= HELD_COUNT) void this.#release();
    else setTimeout(() => void this.#release(), HELD_MS);
    return keccak256(raw);
  }

  async #release(): Promise<void> {
    const held = this.#held.reverse();
    this.#held = [];
    for (const raw of held) await this.#forward(raw).catch(() => undefined);
  }

  async #read(method: string, params: readonly unknown[]): Promise<unknown> {
    const fault: ReadFault | null = this.plan.read();
    const truth = await this.#target.request(method, params);
    const answer = fault === null ? truth : this.#memory.distort(fault, { method, params, truth });
    this.#memory.remember(method, params, truth);
    return answer;
  }
}

/** Answers without asking the node, for the faults that do so. */
function refuses(fault: TransportFault, response: ServerResponse): boolean {
  if (fault === 'timeout-before') return true;
  if (fault === 'server-error') response.writeHead(502).end('bad gateway');
  else if (fault === 'rate-limit') response.writeHead(429).end('{"error":"slow down"}');
  else if (fault === 'garbage') response.writeHead(200).end('<html>we will be right back</html>');
  else return false;
  return true;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
