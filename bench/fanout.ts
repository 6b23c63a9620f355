// Book messages per second to a thousand readers, compared with a bare `ws` server that sends the same texts to as
// many.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { portOf } from '@presage/runtime/node';
import { waitFor } from '@presage/testkit';
import { WebSocketServer } from 'ws';
import { type Exchange, withExchange } from './exchange.ts';
import { openReaders, type StreamReader } from './fanout-readers.ts';
import { postOrders, signOrders } from './http-load.ts';
import { type Measurement, median } from './measurement.ts';

const READERS = 1_000;
const ORDERS = 400;
const BATCH = 50;
const ROUNDS = 3;
const LIMIT_MS = 60_000;

interface Round {
  readonly perSecond: number;
  readonly texts: readonly string[];
}

export async function measure(): Promise<Measurement> {
  return withBareServer((bare) =>
    withExchange(async (exchange) => {
      const readers = await openReaders(exchange.url('/api/v1/stream'), READERS);
      for (const reader of readers)
        reader.send({ type: 'subscribe', marketId: exchange.marketId, data: { book: 'delta' } });
      await waitFor('every reader has the book', () => readers.every(({ lastSeq }) => lastSeq !== undefined));
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = 0; round <= ROUNDS; round++) {
        const { perSecond, texts } = await runService(exchange, readers);
        const bareRate = await bare.run(texts);
        // The first round warms up both.
        if (round === 0) continue;
        ours.push(perSecond);
        theirs.push(bareRate);
      }
      for (const reader of readers) reader.close();
      const list = (rates: readonly number[]) => rates.map((rate) => Math.round(rate).toLocaleString('en')).join(', ');
      const load = `${ROUNDS} alternating rounds of ${ORDERS} orders in batches of ${BATCH}, admission included`;
      return {
        key: 'stream.fanout',
        value: median(ours) / median(theirs),
        conditions: `${load}, ${READERS} readers: ${list(ours)} messages/s; bare ws ${list(theirs)}`,
      };
    }),
  );
}

/** Runs until every reader has the step of the last order. */
async function runService({ domain, marketId, url }: Exchange, readers: readonly StreamReader[]): Promise<Round> {
  const bodies = await signOrders({ count: ORDERS, domain, marketId, batch: BATCH });
  const last = (readers[0]?.lastSeq ?? 0) + ORDERS;
  for (const reader of readers) reader.reset();
  const startMs = performance.now();
  const { ok } = await postOrders({ url: url('/api/v1/orders/batch'), bodies, connections: 4, limitMs: LIMIT_MS });
  if (ok !== bodies.length) throw new Error('not every batch was taken');
  const hasAll = () => readers.every(({ lastSeq = 0 }) => lastSeq >= last);
  await waitFor('every reader has every step', hasAll, { timeoutMs: LIMIT_MS, pollMs: 2 });
  return { perSecond: rateSince(startMs, readers), texts: readers[0]!.texts };
}

function rateSince(startMs: number, readers: readonly StreamReader[]): number {
  const elapsedMs = performance.now() - startMs;
  return (readers.reduce((sum, { count }) => sum + count, 0) / elapsedMs) * 1_000;
}

interface BareServer {
  /** Returns the messages delivered per second. */
  run(texts: readonly string[]): Promise<number>;
}

async function withBareServer<T>(use: (server: BareServer) => Promise<T>): Promise<T> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--import', import.meta.resolve('tsx')] });
  const exited = once(child, 'exit');
  const [ready] = await once(child, 'message');
  const { port }: { port: number } = ready;
  const readers = await openReaders(`http://127.0.0.1:${port}/`, READERS);
  try {
    return await use({
      run: async (texts) => {
        for (const reader of readers) reader.reset();
        const startMs = performance.now();
        child.send(texts);
        const hasAll = () => readers.every(({ count }) => count >= texts.length);
        await waitFor('every reader has every text', hasAll, { timeoutMs: LIMIT_MS, pollMs: 2 });
        return rateSince(startMs, readers);
      },
    });
  } finally {
    for (const reader of readers) reader.close();
    if (child.connected) child.disconnect();
    await exited;
  }
}

function serveBare(): void {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('listening', () => process.send?.({ port: portOf(server) }));
  process.on('message', async (texts: readonly string[]) => {
    for (const text of texts) {
      for (const client of server.clients) client.send(text);
      await turn();
    }
  });
  process.on('disconnect', () => process.exit(0));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveBare();
