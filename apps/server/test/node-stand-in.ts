// A node of a chain at an address of its own, behind which a test puts another chain, or a page that is no JSON.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Rpc, RpcError } from '@presage/chain';

/** Answers the body of a request with the body of an answer. */
type Answer = (body: string) => Promise<string>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** As a proxy says it whose node is gone. */
export const anHtmlPage: Answer = async () => '<!doctype html><title>502 Bad Gateway</title>';

export function passOnTo(url: string): Answer {
  return async (body) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body })).text();
  };
}

/** A chain inside the test process. */
export function answerFrom({ request }: Rpc): Answer {
  const answer = async ({ id, method, params = [] }: Call) => {
    try {
      return { jsonrpc: '2.0', id, result: await request(method, params) };
    } catch (error) {
      const { code, message } = error as RpcError;
      return { jsonrpc: '2.0', id, error: { code, message } };
    }
  };
  return async (body) => {
    const calls = JSON.parse(body) as Call | Call[];
    return JSON.stringify(Array.isArray(calls) ? await Promise.all(calls.map(answer)) : await answer(calls));
  };
}

export class NodeStandIn {
  readonly host: string;
  readonly #server: Server;
  answer: Answer;

  private constructor(server: Server, answer: Answer) {
    this.#server = server;
    this.answer = answer;
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(answer: Answer): Promise<NodeStandIn> {
    const server = createServer(async (request, response) => {
      response.end(await node.answer(await text(request)).catch(() => ''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const node = new NodeStandIn(server, answer);
    return node;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
