// The baseline for signed orders per second: a bare node:http server that only parses and recovers one signature.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { asHex, type MarketId, type Order, OrderHasher, parseJson, type SigningDomain } from '@presage/protocol';
import { openSignerRecovery, type SignerRecovery } from '@presage/protocol/signer';
import { portOf } from '@presage/runtime/node';

interface LoadTarget {
  readonly url: string;
  readonly domain: SigningDomain;
  readonly marketId: MarketId;
}

export interface FloorServer {
  readonly target: LoadTarget;
  stop(): Promise<void>;
}

interface FloorReady {
  readonly port: number;
}

/** The baseline verifies every order against this domain: it has no markets and no chain. */
const FLOOR_DOMAIN: SigningDomain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
};
const FLOOR_MARKET = asHex(`0x${'f1'.repeat(32)}`);

/** In a process of its own: a server and its load must not share a thread. */
export async function startFloorServer(): Promise<FloorServer> {
  const execArgv = ['--import', import.meta.resolve('tsx')];
  const child = fork(fileURLToPath(import.meta.url), { execArgv });
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('the floor server ended before it was ready')));
  const [ready] = await Promise.race([once(child, 'message'), failed]);
  const { port }: FloorReady = ready;
  failed.catch(() => undefined);
  return {
    target: { url: `http://127.0.0.1:${port}/`, domain: FLOOR_DOMAIN, marketId: FLOOR_MARKET },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

async function serve(): Promise<void> {
  const [hasher, recovery] = [await OrderHasher.open(FLOOR_DOMAIN), await openSignerRecovery()];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => answer(text, response, { hasher, recovery }));
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: portOf(server) });
  });
  process.on('disconnect', () => process.exit(0));
}

interface Tools {
  readonly hasher: OrderHasher;
  readonly recovery: SignerRecovery;
}

function answer(text: string, response: ServerResponse, tools: Tools): void {
  let [status, body] = [400, '{}'];
  try {
    [status, body] = judge(text, tools);
  } catch {
    // Not an order: 400, as it stands.
  }
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function judge(text: string, { hasher, recovery }: Tools): [status: number, body: string] {
  // What `signOrders` has made.
  const { order, signature } = parseJson(text) as { order: Order; signature: string };
  const { nonce, expiration } = order;
  const digest = hasher.digest({ ...order, nonce: BigInt(nonce), expiration: BigInt(expiration) });
  const signer = recovery.recover(digest, Buffer.from(signature.slice(2), 'hex'));
  return [signer === order.trader ? 200 : 400, JSON.stringify({ signer })];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();
