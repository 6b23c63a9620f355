// Service for well-behaved clients at five times the capacity, and beside thousands of idle sockets: `npx tsx bench/overload.ts`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, withExchange } from './exchange.ts';
import { type LoadResult, postOrders, signOrders } from './http-load.ts';

const CAPACITY_ORDERS = 4_000;
const SECONDS = 30;
const OVERLOAD = 5;
const MOST_CONNECTIONS = 1_000;
const IDLE_SOCKETS = 2_000;
/** Rate of the well-behaved client. */
const GOOD_PER_SECOND = 20;

/** Address of the well-behaved client; the flood comes from another. */
const GOOD_ADDRESS = '127.0.0.2';

type Venue = Pick<Exchange, 'domain' | 'marketId'> & { readonly orders: string };

interface Offered {
  readonly perSecond: number;
  readonly connections: number;
  readonly from?: string;
}

function venueOf({ domain, marketId, url }: Exchange): Venue {
  return { domain, marketId, orders: url('/api/v1/orders') };
}

async function post({ domain, marketId, orders }: Venue, offered: Offered): Promise<LoadResult> {
  const bodies = await signOrders({ count: Math.ceil(offered.perSecond * SECONDS), domain, marketId });
  return postOrders({ url: orders, bodies, limitMs: SECONDS * 1_000, ...offered });
}

interface Flood {
  readonly result: Promise<LoadResult>;
}

/** Runs in its own process, so that its work does not delay the measured client; resolves when its orders are signed. */
async function startFlood(venue: Venue, offered: Offered): Promise<Flood> {
  const child = fork(import.meta.filename, ['flood'], { execArgv: process.execArgv });
  const result = new Promise<LoadResult>((resolve) =>
    // The flood below sends no other messages.
    child.on('message', (told) => told !== 'signed' && resolve(told as LoadResult)),
  );
  child.send({ venue, offered });
  await once(child, 'message');
  return { result };
}

async function flood({ venue, offered }: { venue: Venue; offered: Offered }): Promise<void> {
  const { domain, marketId, orders } = venue;
  const bodies = await signOrders({ count: Math.ceil(offered.perSecond * SECONDS), domain, marketId });
  process.send?.('signed');
  process.send?.(await postOrders({ url: orders, bodies, limitMs: SECONDS * 1_000, ...offered }), () => process.exit());
}

/** Sends the next order as soon as the previous one is answered. */
async function measureCapacity({ domain, marketId, url }: Exchange): Promise<number> {
  const bodies = await signOrders({ count: CAPACITY_ORDERS, domain, marketId });
  const target = { url: url('/api/v1/orders'), connections: 64, limitMs: 30_000 };
  const half = bodies.length / 2;
  await postOrders({ ...target, bodies: bodies.slice(0, half) });
  return (await postOrders({ ...target, bodies: bodies.slice(half) })).okPerSecond;
}

/** Opens idle sockets: alternately one that sends nothing and one that sends half of its headers. */
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

async function measure(exchange: Exchange): Promise<void> {
  const venue = venueOf(exchange);
  const capacity = await measureCapacity(exchange);
  console.log(`capacity: ${capacity.toFixed(0)} orders/s`);
  const half = { perSecond: capacity / 2, connections: 64 };
  const normal = await post(venue, half);
  print('half of it', normal);
  const { result } = await startFlood(venue, { perSecond: capacity * OVERLOAD, connections: MOST_CONNECTIONS });
  const calm = await post(venue, { perSecond: GOOD_PER_SECOND, connections: 4, from: GOOD_ADDRESS });
  const flooded = await result;
  print(`${OVERLOAD} times of it`, flooded);
  print('a good client meanwhile', calm);
  const ratio = flooded.acceptedMs.p99 / normal.acceptedMs.p99;
  console.log(`p99 of what was accepted: ${ratio.toFixed(1)} times of normal`);
  const idle = await openIdle(exchange);
  print(`half of it beside ${IDLE_SOCKETS} idle and slow sockets`, await post(venue, half));
  for (const socket of idle) socket.destroy();
}

if (process.argv[2] === 'flood') process.once('message', flood);
else await withExchange(measure);
