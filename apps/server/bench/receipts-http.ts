// What receipts and the public journal cost an order over HTTP: two services, one without them, loaded in turn.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SigningDomain } from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { marketFacts, TEST_MARKET } from '@presage/testkit';
import { postOrders, signOrders } from '../../../bench/http-load.ts';
import { type Measurement, median } from '../../../bench/measurement.ts';
import { Admission } from '../src/admission/admission.ts';
import { createKnownOrders, createMarketLookup } from '../src/admission/engine-lookups.ts';
import { SignaturePool } from '../src/admission/signature-pool.ts';
import { HttpListener } from '../src/api/http-listener.ts';
import { openHttpServer } from '../src/api/http-server.ts';
import { routesOf } from '../src/api/register.ts';
import { orderEndpoints } from '../src/api/routes/orders.ts';
import type { ApiServices } from '../src/api/services.ts';
import { Host } from '../src/host/host.ts';
import { HostCommands } from '../src/host/host-commands.ts';
import { MarketHosts } from '../src/host/market-hosts.ts';
import { openJournal } from '../src/host/open.ts';
import type { PartitionLog } from '../src/host/partition-log.ts';
import { PublicJournal } from '../src/proof/public-journal.ts';
import { Receipts } from '../src/proof/receipts.ts';
import { openJournalDatabase } from '../src/store/open.ts';

const ROUNDS = 9;
const ORDERS = 6_000;
const CONNECTIONS = 64;
const LIMIT_MS = 30_000;
const DOMAIN: SigningDomain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
};

interface Round {
  readonly perSecond: number;
  /** Of the service's process, all threads. */
  readonly cpuMicros: number;
}

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement> {
  const [plain, proven] = [await Service.start('plain'), await Service.start('proven')];
  try {
    const rounds: { plain: Round; proven: Round }[] = [];
    // The first round warms both up and is not counted.
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = { plain: await plain.run(), proven: await proven.run() };
      if (round > 0) rounds.push(measured);
    }
    const list = (of: 'plain' | 'proven', value: keyof Round) =>
      rounds.map((each) => each[of][value].toFixed(0)).join(', ');
    const load = `${ROUNDS} alternating rounds of ${ORDERS.toLocaleString('en')} orders, ${CONNECTIONS} connections, HTTP, signatures and journal without view and chain`;
    return {
      key: 'receipts.orders',
      value: median(rounds.map((each) => each.plain.cpuMicros / each.proven.cpuMicros)),
      conditions: `${load}: ${list('proven', 'cpuMicros')} us of processor time an order, ${list('plain', 'cpuMicros')} without; ${list('proven', 'perSecond')} orders/s, ${list('plain', 'perSecond')} without`,
    };
  } finally {
    await plain.stop();
    await proven.stop();
  }
}

type Kind = 'plain' | 'proven';

/** A service as the load sees it, in a process of its own. */
class Service {
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(kind: Kind): Promise<Service> {
    const child = fork(fileURLToPath(import.meta.url), [kind], { execArgv: ['--import', import.meta.resolve('tsx')] });
    const failed = once(child, 'exit').then(() =>
      Promise.reject(new Error(`the ${kind} service ended before it was ready`)),
    );
    failed.catch(() => undefined);
    const [{ url }] = (await Promise.race([once(child, 'message'), failed])) as [{ url: string }];
    return new Service(child, url);
  }

  async run(): Promise<Round> {
    const bodies = await signOrders({ count: ORDERS, domain: DOMAIN, marketId: TEST_MARKET });
    await this.#readCpu();
    const result = await postOrders({ url: this.#url, bodies, connections: CONNECTIONS, limitMs: LIMIT_MS });
    if (result.ok !== ORDERS) throw new Error(`not every order was taken: ${JSON.stringify(result.statuses)}`);
    return { perSecond: result.okPerSecond, cpuMicros: (await this.#readCpu()) / ORDERS };
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await exited;
  }

  /** Since it was last read. */
  async #readCpu(): Promise<number> {
    const answered = once(this.#child, 'message');
    this.#child.send('cpu');
    const [{ micros }] = (await answered) as [{ micros: number }];
    return micros;
  }
}

async function serve(kind: Kind): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-receipts-'));
  const { url, close } = await openService(kind, dataDir);
  let cpu = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(cpu);
    process.send?.({ micros: user + system });
    cpu = process.cpuUsage();
  });
  process.on('disconnect', async () => {
    await close();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
  process.send?.({ url });
}

async function openService(kind: Kind, dataDir: string): Promise<{ url: string; close: () => Promise<void> }> {
  const receipts = new Receipts(openSigningKey('07'.repeat(32)));
  const onSealed = kind === 'proven' ? receipts.prepare : () => undefined;
  const config = { dataDir, archiveDays: 0, journalUrl: undefined, leaseSeconds: 1, partitions: 1 };
  const silent = { onProgress: () => undefined, onWarning: () => undefined };
  const place = { config, address: 'a benchmark', openDatabase: openJournalDatabase };
  const journal = await openJournal({ ...place, ...silent, nowMs: Date.now, onFatal, onSealed });
  const [log] = journal.markets as [PartitionLog];
  const host = await Host.open({ log, nowMs: Date.now });
  const commands = new HostCommands(new MarketHosts([host]), kind === 'proven' ? receipts : undefined);
  const logs = { markets: [log], others: () => [] };
  const published =
    kind === 'proven' ? new PublicJournal({ ...logs, receipts, nowMs: Date.now, delayMs: 0 }) : undefined;
  await commands.listMarket(
    marketFacts({ chainId: DOMAIN.chainId, expiration: Math.floor(Date.now() / 1_000) + 86_400 }),
  );
  const signers = await SignaturePool.open();
  const listener = new HttpListener();
  const url = await listener.listen(0, '127.0.0.1');
  await serveOrders(listener, { host, commands, signers });
  const close = async () => {
    await listener.close();
    await published?.close();
    await signers.close();
    await host.close();
    await journal.close();
  };
  return { url: `${url}/api/v1/orders`, close };
}

interface OrderPath {
  readonly host: Host;
  readonly commands: HostCommands;
  readonly signers: SignaturePool;
}

async function serveOrders(listener: HttpListener, { host, commands, signers }: OrderPath): Promise<void> {
  const { reads } = host;
  const lookups = { markets: createMarketLookup(reads, () => undefined), known: createKnownOrders(reads) };
  const clock = { nowSeconds: () => Math.floor(Date.now() / 1_000) };
  const admission = new Admission({ ...lookups, signers, commands, clock });
  await admission.addChain({ domain: DOMAIN, minOrderSize: 1 });
  // Only placing is asked for: the other services of the endpoints are never called.
  const services = { orders: { submit: admission.submit }, reads } as unknown as ApiServices;
  const endpoints = orderEndpoints(services).filter(({ id }) => id === 'submitOrder');
  const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };
  const plain = { rateLimits: false, corsOrigins: [], onAnswer: () => undefined };
  await openHttpServer({ listener, log, ...plain }, [routesOf(endpoints)]);
}

function onFatal(error: unknown): void {
  throw error;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.argv[2] as Kind);
