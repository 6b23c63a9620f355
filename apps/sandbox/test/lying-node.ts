// A node between a client and a real one, which passes questions on and may change the answers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '@presage/runtime/node';

export interface Asked {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The answer that is given in place of the true one. */
export type Lie = (asked: Asked, answer: unknown) => unknown;

interface Answer {
  readonly id: number;
  readonly result?: unknown;
}

export class LyingNode {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
  }

  static async open(realUrl: string, lie: Lie): Promise<LyingNode> {
    const server = createServer((request, response) => void answer(realUrl, lie, { request, response }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LyingNode(server);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

interface Exchanged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One question at a time, as viem asks. */
async function answer(realUrl: string, lie: Lie, { request, response }: Exchanged): Promise<void> {
  const body = await text(request);
  // The client is viem, and the node that answers is real.
  const { method, params = [] } = JSON.parse(body) as Asked;
  const headers = { 'content-type': 'application/json' };
  const real = await fetch(realUrl, { method: 'POST', body, headers });
  const given = (await real.json()) as Answer;
  const told = 'result' in given ? { ...given, result: lie({ method, params }, given.result) } : given;
  response.writeHead(200, headers).end(JSON.stringify(told));
}
