// What good clients get at five times of what the service can do, and beside thousands of sockets that do nothing: `npx tsx bench/overload.ts`.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, withExchange } from './exchange.ts';
import { type LoadResult, postOrders, signOrders } from './http-load.ts';

const CAPACITY_ORDERS = 4_000;
const SECONDS = 8;
const OVERLOAD = 5;
const MOST_CONNECTIONS = 1_000;
const IDLE_SOCKETS = 2_000;
/** Of a client that asks for little, all along. */
const GOOD_PER_SECOND = 20;

interface Offered {
  readonly perSecond: number;
  readonly connections: number;
}

async function post({ domain, marketId, url }: Exchange, { perSecond, connections }: Offered): Promise<LoadResult> {
  const bodies = await signOrders({ count: Math.ceil(perSecond * SECONDS), domain, marketId });
  return postOrders({ url: url('/api/v1/orders'), bodies, connections, perSecond, limitMs: SECONDS * 1_000 });
}

/** As fast as the answers come. */
async function measureCapacity({ domain, marketId, url }: Exchange): Promise<number> {
  const bodies = await signOrders({ count: CAPACITY_ORDERS, domain, marketId });
  const target = { url: url('/api/v1/orders'), connections: 64, limitMs: 30_000 };
  const half = bodies.length / 2;
  await postOrders({ ...target, bodies: bodies.slice(0, half) });
  return (await postOrders({ ...target, bodies: bodies.slice(half) })).okPerSecond;
}

/** One that says nothing, one that says half of its headers, in turns. */
async function openIdle({ url }: Exchange): Promise<Socket[]> {
  const port = Number(new URL(url('/')).port);
  const sockets: Socket[] = [];
  while (sockets.length < IDLE_SOCKETS) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    if (sockets.length % 2 === 1) socket.write('POST /api/v1/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    sockets.push(socket);
    if (sockets.length % 100 === 0) await sleep(20);
  }
  return sockets;
}

function print(what: string, { sent, ok, statuses, okPerSecond, acceptedMs }: LoadResult): void {
  const times = `accepted within ${acceptedMs.p50.toFixed(1)} ms (median), ${acceptedMs.p99.toFixed(1)} ms (p99)`;
  console.log(
    `${what}: ${sent} sent, ${ok} accepted, ${okPerSecond.toFixed(0)}/s, ${times} ${JSON.stringify(statuses)}`,
  );
}

await withExchange(async (exchange) => {
  const capacity = await measureCapacity(exchange);
  console.log(`capacity: ${capacity.toFixed(0)} orders/s`);
  const normal = await post(exchange, { perSecond: capacity / 2, connections: 64 });
  print('half of it', normal);
  const flood = { perSecond: capacity * OVERLOAD, connections: MOST_CONNECTIONS };
  const good = { perSecond: GOOD_PER_SECOND, connections: 4 };
  const [flooded, calm] = await Promise.all([post(exchange, flood), post(exchange, good)]);
  print(`${OVERLOAD} times of it`, flooded);
  print('a good client meanwhile', calm);
  console.log(
    `p99 of what was accepted: ${(flooded.acceptedMs.p99 / normal.acceptedMs.p99).toFixed(1)} times of normal`,
  );
  const idle = await openIdle(exchange);
  print(
    `half of it beside ${IDLE_SOCKETS} idle and slow sockets`,
    await post(exchange, { perSecond: capacity / 2, connections: 64 }),
  );
  for (const socket of idle) socket.destroy();
});
