// Many readers of one busy market: each ends with the right book, and those that never read hurt nobody.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@presage/protocol';
import { poll } from '@presage/runtime';
import { isLongRun, RUNNER, seedFromEnv, TEST_MARKET } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RebuiltBook } from './rebuilt-book.ts';
import { StreamClient, type StreamReply } from './stream-client.ts';
import type { Order, Report } from './stream-process.ts';

const READERS = isLongRun ? 1_000 : 100;
const SILENT = isLongRun ? 50 : 5;
const OPERATIONS = isLongRun ? 1_000 : 300;
const seed = seedFromEnv(Date.now());
const DEEP_MARKET = `0x${'de'.repeat(32)}`;
/** Books of 60 KB: more than any kernel holds for one connection, 4 MB mostly, 37 MB where its limits are high. */
const KERNEL_FULL = 1_000;
const MEBIBYTE = 1_024 * 1_024;

let child: ChildProcess;
let first: Report;

async function nextReport(): Promise<Report> {
  const [report] = (await once(child, 'message')) as [Report];
  return report;
}

function command(order: Order): Promise<Report> {
  const report = nextReport();
  child.send(order);
  return report;
}

beforeAll(async () => {
  const program = fileURLToPath(new URL('./stream-process.ts', import.meta.url));
  child = fork(RUNNER, [program, String(seed)]);
  first = await nextReport();
});
afterAll(async () => {
  if (child?.exitCode !== null) return;
  child.send({ what: 'close' });
  await once(child, 'exit');
});

/** Reads little more than it must, so that a thousand of them fit into one test process. */
class CrowdReader {
  readonly #socket: WebSocket;
  readonly #mode: 'delta' | 'snapshot';
  readonly #marketId: string;
  readonly #books = [new RebuiltBook(0, 'when asked'), new RebuiltBook(1, 'when asked')] as const;
  readonly #lastSnapshots = new Map<string, string>();
  #lastReceived = '';
  fault: unknown;

  constructor(mode: 'delta' | 'snapshot', marketId: string = TEST_MARKET) {
    this.#mode = mode;
    this.#marketId = marketId;
    this.#socket = new WebSocket(`${first.url.replace('http', 'ws')}/api/v1/stream`);
    this.#socket.on('message', (data: Buffer) => this.#read(data));
    this.#socket.on('error', (error) => {
      this.fault = error;
    });
  }

  async subscribe(): Promise<void> {
    await once(this.#socket, 'open');
    this.#socket.send(JSON.stringify({ type: 'subscribe', marketId: this.#marketId, data: { book: this.#mode } }));
  }

  /** Whether the last message is of that step: cheap enough to ask a thousand of them again and again. */
  hasReached(step: number): boolean {
    return this.#lastReceived.includes(`"seq":${step},`);
  }

  get hashes(): string[] {
    for (const text of this.#lastSnapshots.values()) this.#follow(text);
    return this.#books.map(({ hash }) => hash);
  }

  get gaps(): number {
    return this.#books.reduce((sum, { gaps }) => sum + gaps.length, 0);
  }

  end(): void {
    this.#socket.terminate();
  }

  #read(data: Buffer): void {
    const text = data.toString('latin1');
    if (!text.startsWith('{"type":"heartbeat"')) this.#lastReceived = text;
    if (!text.startsWith('{"type":"orderbook')) return;
    if (this.#mode === 'delta') this.#follow(text);
    else this.#lastSnapshots.set(text.includes('"outcome":0,') ? 'yes' : 'no', text);
  }

  #follow(text: string): void {
    try {
      const message = parseJson(text) as StreamReply;
      for (const book of this.#books) book.follow(message);
    } catch (error) {
      this.fault ??= error;
    }
  }
}

async function until(isSo: () => boolean, timeoutMs = 120_000): Promise<void> {
  await poll(isSo, { timeoutMs, pollMs: 100 });
}

describe('a crowd', () => {
  it(`of ${READERS} connections ends with the right books, whether it gets snapshots or deltas`, async () => {
    const crowd: CrowdReader[] = [];
    // All at once they would be refused: a service that is late sheds new connections first.
    while (crowd.length < READERS) {
      const group = Array.from({ length: 50 }, (_, i) => new CrowdReader(i % 4 === 0 ? 'snapshot' : 'delta'));
      await Promise.all(group.map((reader) => reader.subscribe()));
      crowd.push(...group);
    }
    const { busy, connections } = await command({ what: 'run', operations: OPERATIONS, burst: 20 });
    const hashes = busy.hashes;
    expect(connections).toBe(READERS);
    await until(() => crowd.every((reader) => reader.hasReached(busy.step)), 600_000);
    const wrong = crowd.filter((reader) => reader.hashes.join() !== hashes.join() || reader.fault !== undefined);
    expect(
      wrong.map(({ fault, gaps }) => ({ fault, gaps })),
      `seed ${seed}`,
    ).toEqual([]);
    expect(crowd.reduce((sum, { gaps }) => sum + gaps, 0)).toBe(0);
    for (const reader of crowd) reader.end();
  });
});

describe('readers that never read', () => {
  let silent: StreamClient[];
  let before: Report;

  beforeAll(async () => {
    await command({ what: 'deepen', levels: 2_000 });
    silent = await Promise.all(Array.from({ length: SILENT }, () => StreamClient.open(first.url)));
    for (const client of silent) client.send({ type: 'subscribe', marketId: DEEP_MARKET });
    for (const client of silent) await client.drain();
    for (const client of silent) client.pause();
    before = await command({ what: 'run', operations: 0, burst: 1 });
  });

  it(`leave the memory of the service bounded, ${SILENT} of them, and a reader beside them untouched`, async () => {
    const live = new CrowdReader('delta', DEEP_MARKET);
    await live.subscribe();
    const after = await command({ what: 'flicker', times: isLongRun ? 4 * KERNEL_FULL : KERNEL_FULL });
    await until(() => live.hasReached(after.deep.step));
    expect(live.hashes).toEqual(after.deep.hashes);
    expect([live.gaps, live.fault]).toEqual([0, undefined]);
    const grown = (after.residentBytes - before.residentBytes) / MEBIBYTE;
    process.stderr.write(`${SILENT} silent readers: ${grown.toFixed(0)} MiB more resident\n`);
    expect(grown).toBeLessThan(100 + SILENT * 2);
    live.end();
  });

  it('get one fresh book when they read again, marked as conflated, and it is right', async () => {
    const { step, hashes } = (await command({ what: 'run', operations: 0, burst: 1 })).deep;
    const [client] = silent as [StreamClient];
    client.resume();
    await until(() => client.received.some(({ seq }) => seq === step));
    const books = client.received.filter(({ type }) => type === 'orderbook');
    const marked = books.filter(({ conflated }) => conflated === true);
    expect(marked.length).toBeGreaterThanOrEqual(1);
    expect(books.length).toBeLessThan(step - before.deep.step);
    expect(marked.at(-1)).toMatchObject({ seq: step });
    const last = books.filter(({ data }) => data.outcome === 0).at(-1);
    expect(last?.data.hash).toBe(hashes[0]);
  });

  it('lose deltas that wait too long, are notified by resync, and rebuild the right book from what follows', async () => {
    const client = silent[2] as StreamClient;
    const { busy } = await command({ what: 'run', operations: 0, burst: 1 });
    const books = [new RebuiltBook(0), new RebuiltBook(1)] as const;
    client.send({ type: 'subscribe', marketId: TEST_MARKET, data: { book: 'delta', fromSeq: busy.step + 1 } });
    // Its socket is full of the deep market's books by now: the busy market's deltas wait behind them.
    const after = await command({ what: 'run', operations: 9_000, burst: 50 });
    client.resume();
    await until(() => client.received.some(({ marketId, seq }) => marketId === TEST_MARKET && seq === after.busy.step));
    const received = client.received.filter(({ marketId }) => marketId === TEST_MARKET);
    const resync = received.findIndex(({ type }) => type === 'resync');
    expect(received[resync]?.data).toEqual({ reason: 'too_slow' });
    expect(received.slice(resync + 1, resync + 3).map(({ type }) => type)).toEqual(['orderbook', 'orderbook']);
    for (const message of received.slice(resync)) for (const book of books) book.follow(message);
    expect(books.map(({ hash, gaps }) => [hash, gaps])).toEqual(after.busy.hashes.map((hash) => [hash, []]));
  });
});

// Each waits most of its time for the limit on messages a second, so they wait side by side.
describe.concurrent('a connection', () => {
  it('that never reads and asks on and on is closed with 1013 once 8 MiB wait', async () => {
    const asking = await StreamClient.open(first.url);
    asking.send({ type: 'subscribe', marketId: DEEP_MARKET });
    await asking.drain();
    asking.pause();
    await command({ what: 'flicker', times: KERNEL_FULL });
    for (let asked = 0; asked < 200; asked++) {
      asking.send({ type: 'snapshot', marketId: DEEP_MARKET, data: { outcome: 0 } });
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    asking.resume();
    expect(await asking.closed()).toMatchObject({ code: 1013 });
  });

  it('takes 256 subscriptions of any kind, and refuses the next', async () => {
    const client = await StreamClient.open(first.url);
    client.send({ type: 'subscribe', marketId: TEST_MARKET });
    for (let i = 1; i < 256; i++) {
      client.send({ type: 'subscribe', channel: 'quick_market', data: { asset: `A${i}` }, id: i });
      await new Promise((resolve) => setTimeout(resolve, 55));
    }
    client.send({ type: 'subscribe', channel: 'quick_market', data: { asset: 'LAST' }, id: 'last' });
    expect(await client.next('error')).toMatchObject({ id: 'last', data: { code: 'too_many_subscriptions' } });
    client.send({ type: 'subscribe', marketId: TEST_MARKET, data: { book: 'delta' }, id: 'again' });
    expect(await client.next('subscribe')).toMatchObject({ id: 'again' });
    client.end();
  });
});
