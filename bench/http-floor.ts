// The baseline for signed orders per second: a bare node:http server that only parses and recovers one signature, compared with another server.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type MarketId, type Order, OrderHasher, parseJson, type SigningDomain } from '@presage/protocol';
import { openSignerRecovery, type SignerRecovery } from '@presage/protocol/signer';
import { assertLoopback, type LoadResult, postOrders, signOrders } from './http-load.ts';

export interface LoadTarget {
  readonly url: string;
  readonly domain: SigningDomain;
  readonly marketId: MarketId;
}

export interface LoadSize {
  /** For each server, over all rounds. */
  readonly orders: number;
  readonly connections: number;
  /** For each server, over all rounds. */
  readonly limitMs: number;
}

export interface Comparison {
  readonly ours: readonly LoadResult[];
  readonly floor: readonly LoadResult[];
  /** Accepted orders per second over all rounds, ours divided by the floor's. */
  readonly ratio: number;
}

interface FloorServer {
  readonly target: LoadTarget;
  readonly recovery: string;
  stop(): Promise<void>;
}

interface FloorReady {
  readonly port: number;
  readonly recovery: string;
}

/** The baseline verifies every order against this domain: it has no markets and no chain. */
const FLOOR_DOMAIN: SigningDomain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
};
const FLOOR_MARKET = `0x${'f1'.repeat(32)}` as MarketId;
const ROUNDS = 3;

/** In a process of its own: a server and its load must not share a thread. */
async function startFloorServer(): Promise<FloorServer> {
  const execArgv = ['--import', import.meta.resolve('tsx')];
  const child = fork(fileURLToPath(import.meta.url), ['--serve'], { execArgv });
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('the floor server ended before it was ready')));
  const [{ port, recovery }] = (await Promise.race([once(child, 'message'), failed])) as [FloorReady];
  failed.catch(() => undefined);
  return {
    target: { url: `http://127.0.0.1:${port}/`, domain: FLOOR_DOMAIN, marketId: FLOOR_MARKET },
    recovery,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Rounds alternate, so that other load on the machine affects both alike. */
export async function compareWithFloor(target: LoadTarget, size: LoadSize): Promise<Comparison> {
  const server = await startFloorServer();
  const [ours, floor]: [LoadResult[], LoadResult[]] = [[], []];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      floor.push(await runRound(server.target, size));
      ours.push(await runRound(target, size));
    }
  } finally {
    await server.stop();
  }
  return { ours, floor, ratio: rateOf(ours) / rateOf(floor) };
}

async function runRound({ url, domain, marketId }: LoadTarget, size: LoadSize): Promise<LoadResult> {
  const bodies = await signOrders({ count: Math.ceil(size.orders / ROUNDS), domain, marketId });
  return postOrders({ url, bodies, connections: size.connections, limitMs: size.limitMs / ROUNDS });
}

/** Accepted orders per second over all of them. */
export function rateOf(results: readonly LoadResult[]): number {
  const ok = results.reduce((total, result) => total + result.ok, 0);
  return (ok / results.reduce((total, result) => total + result.elapsedMs, 0)) * 1000;
}

/** The signing domain and markets that a server publishes at /api/v1/config; those of the baseline for any other server. */
export async function findTarget(url: string): Promise<LoadTarget> {
  assertLoopback(url);
  const read = async (path: string) => (await fetch(new URL(path, url))).json() as Promise<never>;
  try {
    const config: { chains: { chainId: number; settlement: { name: string; version: string; address: string } }[] } =
      await read('/api/v1/config');
    const markets: { markets: { id: MarketId; chainId: number; expiration: number }[] } =
      await read('/api/v1/markets?status=open');
    const { chainId, settlement } = config.chains[0]!;
    const longest = markets.markets.filter((market) => market.chainId === chainId);
    longest.sort((a, b) => b.expiration - a.expiration);
    const verifyingContract = settlement.address.toLowerCase() as SigningDomain['verifyingContract'];
    const domain = { name: settlement.name, version: settlement.version, chainId, verifyingContract };
    return { url, domain, marketId: longest[0]!.id };
  } catch {
    return { url, domain: FLOOR_DOMAIN, marketId: FLOOR_MARKET };
  }
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
    process.send?.({ port: (server.address() as AddressInfo).port, recovery: recovery.kind });
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
  const { order, signature } = parseJson(text) as { order: Order; signature: string };
  const { nonce, expiration } = order;
  const digest = hasher.digest({ ...order, nonce: BigInt(nonce), expiration: BigInt(expiration) });
  const signer = recovery.recover(digest, Buffer.from(signature.slice(2), 'hex'));
  return [signer === order.trader ? 200 : 400, JSON.stringify({ signer })];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      serve: { type: 'boolean' },
      url: { type: 'string' },
      orders: { type: 'string', default: '12000' },
      connections: { type: 'string', default: '64' },
      seconds: { type: 'string', default: '60' },
    },
  });
  if (values.serve) return serve();
  const limitMs = Number(values.seconds) * 1000;
  const size = { orders: Number(values.orders), connections: Number(values.connections), limitMs };
  console.log(
    `Node ${process.version}, ${process.arch}, ${availableParallelism()} cores (${cpus()[0]?.model}), loopback`,
  );
  console.log(`${size.orders} pre-signed orders each in ${ROUNDS} rounds, ${size.connections} keep-alive connections`);
  if (values.url === undefined) await measureFloor(size);
  else print(await compareWithFloor(await findTarget(values.url), size));
}

async function measureFloor(size: LoadSize): Promise<void> {
  const server = await startFloorServer();
  const results: LoadResult[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) results.push(await runRound(server.target, size));
  } finally {
    await server.stop();
  }
  printLine(`floor (${server.recovery} recovery)`, results);
}

function print({ ours, floor, ratio }: Comparison): void {
  printLine('floor: node:http, parse, one recovery', floor);
  printLine('the server', ours);
  console.log(`ratio ${ratio.toFixed(2)}`);
}

function printLine(name: string, results: readonly LoadResult[]): void {
  const rounds = results.map(({ okPerSecond }) => okPerSecond.toFixed(0)).join(', ');
  const statuses = results.map((result) => JSON.stringify(result.statuses)).join(' ');
  const { p50, p99 } = results.at(-1)!.latencyMs;
  console.log(`${name}: ${rateOf(results).toFixed(0)} orders/s (rounds ${rounds})`);
  console.log(`  last round p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; statuses ${statuses}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
