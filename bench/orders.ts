// The cost of an open order: resident memory of the service and bytes of the journal, live and compressed.
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Exchange, readMetric, readSegments, withExchange } from './exchange.ts';
import { postOrders, signOrders } from './http-load.ts';
import type { Measurement } from './measurement.ts';

/** Placed first and not counted: afterwards the heaps of all threads have reached their size under load, and bounded caches are full (65,536 receipts). */
const WARM_UP = 70_000;
const ORDERS = 40_000;
const BATCH = 50;
/** The collector frees memory only after a quiet period; V8 releases the space of new objects later still. */
const SETTLE_MS = 8_000;
const LATER_MS = 60_000;

export async function measure(): Promise<Measurement[]> {
  return withExchange(async (exchange) => {
    await place(exchange, WARM_UP);
    const before = await look(exchange);
    await place(exchange, ORDERS);
    const after = await look(exchange);
    const count = ORDERS.toLocaleString('en');
    const per = (from: number, to: number) => (to - from) / ORDERS;
    const conditions = `${count} resting orders of 64 wallets in one market, on top of ${WARM_UP.toLocaleString('en')}`;
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
    const memory = (from: number, to: number) => `${conditions}: ${megabytes(from)}, then ${megabytes(to)}`;
    return [
      {
        key: 'memory.order',
        value: per(before.memory, after.memory),
        conditions: memory(before.memory, after.memory),
      },
      {
        key: 'memory.order.later',
        value: per(before.later, after.later),
        conditions: `${memory(before.later, after.later)}, each a minute after the load`,
      },
      { key: 'disk.order.live', value: per(before.live, after.live), conditions },
      { key: 'disk.order.archived', value: per(before.archived, after.archived), conditions: `${conditions}; gzip` },
    ];
  });
}

async function place({ domain, marketId, url }: Exchange, count: number): Promise<void> {
  const bodies = await signOrders({ count, domain, marketId, batch: BATCH });
  const result = await postOrders({ url: url('/api/v1/orders/batch'), bodies, connections: 8, limitMs: 120_000 });
  if (result.ok !== bodies.length) throw new Error(`not every batch was taken: ${JSON.stringify(result.statuses)}`);
}

interface Look {
  readonly memory: number;
  readonly later: number;
  readonly live: number;
  readonly archived: number;
}

async function look(exchange: Exchange): Promise<Look> {
  await sleep(SETTLE_MS);
  const memory = await readMetric(exchange, 'process_resident_memory_bytes');
  await sleep(LATER_MS - SETTLE_MS);
  const later = await readMetric(exchange, 'process_resident_memory_bytes');
  const segments = await readSegments(exchange.sandbox.dataDir, 'm0');
  return { memory, later, live: segments.length, archived: gzipSync(segments).length };
}
