// A service of answers, journal and stream in a process of its own, so that its memory is the service's alone; it reports over IPC when asked, after a collection if asked for one.
import { openSigningKey } from '@presage/protocol/ed25519';
import { collectGarbage, IdleCollector } from '@presage/runtime/node';
import {
  createOrderBuilders,
  ManualClock,
  MemoryJournal,
  MemoryStorage,
  marketFacts,
  SILENT_LOG,
} from '@presage/testkit';
import { routesOf } from '../../src/api/endpoint.ts';
import type { Route } from '../../src/api/http/request.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { journalEndpoints } from '../../src/api/routes/journal.ts';
import { streamEndpoints } from '../../src/api/routes/service.ts';
import { Stream } from '../../src/api/stream/stream.ts';
import { openUnsentBytes } from '../../src/api/unsent-answers.ts';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { PublicJournal } from '../../src/proof/public-journal.ts';
import { Receipts } from '../../src/proof/receipts.ts';

export interface UnreadReport {
  readonly url: string;
  readonly residentBytes: number;
  /** Live and dead objects; after a collection, what the process still needs. */
  readonly heldBytes: number;
  readonly unsentBytes: number;
  readonly connections: number;
  /** Number of connections since the start. */
  readonly accepted: number;
}

const ORDERS = 6_000;

const rethrow = (error: unknown): never => {
  throw error;
};

/** Fresh answers: nothing of them is shared between readers. */
const ANSWERS: readonly Route[] = [
  { path: '/long', characters: 1_300_000 },
  { path: '/short', characters: 12_000 },
].map(({ path, characters }) => ({
  method: 'GET',
  path,
  handler: async () => ({ text: Math.random().toString(36).repeat(200).padEnd(characters, '.') }),
}));

async function openJournal() {
  const clock = new ManualClock();
  const nowMs = () => clock.nowMs;
  const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
  const log = await PartitionLog.open({ journal, nowMs, onFatal: rethrow });
  const host = await Host.open({ log, nowMs });
  const commands = new HostCommands([host]);
  await commands.listMarket(marketFacts());
  const traders = createOrderBuilders(clock);
  const orders = Array.from({ length: ORDERS }, () => traders.aliceBuysYes({ price: '0.2', size: '1' }));
  await Promise.all(orders.map((order) => commands.placeOrder(order)));
  return { log, host, nowMs };
}

/** Awaits nothing at the top level: that runs from one script, which loads faster than modules. */
async function serve(stallMs: number): Promise<void> {
  const { log, host, nowMs } = await openJournal();
  const receipts = new Receipts(openSigningKey('07'.repeat(32)));
  const journal = new PublicJournal({ markets: [log], others: () => [], receipts, nowMs, delayMs: 0 });
  const unsent = openUnsentBytes();
  const stream = new Stream({
    balances: () => [],
    hasAsset: () => false,
    quickMarket: (asset) => ({ active: false, asset, nextMarket: null, quickMarket: null }),
    reads: host.reads,
    logs: [log],
    nowMs,
    unsent,
  });
  const listener = new HttpListener({ stallMs });
  const url = await listener.listen(0, '127.0.0.1');
  const options = { listener, unsent, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  const endpoints = [...journalEndpoints(journal, { find: () => undefined }), ...streamEndpoints(stream)];
  openHttpServer(options, [routesOf(endpoints), ANSWERS]);
  new IdleCollector().start();
  let accepted = 0;
  listener.server.on('connection', () => accepted++);
  const report = () =>
    listener.server.getConnections((_error, connections) => {
      const { rss, heapUsed, external } = process.memoryUsage();
      process.send?.({
        url,
        residentBytes: rss,
        heldBytes: heapUsed + external,
        unsentBytes: unsent.bytes,
        connections,
        accepted,
      });
    });
  process.on('message', (asked) => {
    if (asked === 'collect') collectGarbage();
    report();
  });
  // Its parent has exited.
  process.on('disconnect', () => process.exit(0));
  report();
}

void serve(Number(process.argv[2]));
