// The cost of receipts and the public journal for an order over HTTP: two services in one process, one without them,
// loaded alternately.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SigningDomain } from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { SignaturePool } from '@presage/signers';
import { marketFacts, SILENT_LOG, TEST_MARKET, waitFor } from '@presage/testkit';
import { postOrders, signOrders } from '../../../bench/http-load.ts';
import type { Measurement } from '../../../bench/measurement.ts';
import { Admission } from '../src/admission/admission.ts';
import { routesOf } from '../src/api/endpoint.ts';
import { HttpListener } from '../src/api/http-listener.ts';
import { openHttpServer } from '../src/api/http-server.ts';
import { orderEndpoints } from '../src/api/routes/orders.ts';
import type { ApiServices } from '../src/api/services.ts';
import { Host } from '../src/host/host.ts';
import { HostCommands } from '../src/host/host-commands.ts';
import { openJournal } from '../src/host/open.ts';
import { openViews } from '../src/projections/open.ts';
import { PublicJournal } from '../src/proof/public-journal.ts';
import { Receipts } from '../src/proof/receipts.ts';
import { openJournalDatabase, openStore } from '../src/store/open.ts';

/** Many short rounds in changing order: a disturbance by other load lasts longer than a pair of them. */
const ROUNDS = 40;
const WARM_UPS = 6;
const ORDERS = 2_000;
const CONNECTIONS = 64;
const LIMIT_MS = 30_000;
const DOMAIN: SigningDomain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
};

interface Round {
  readonly seconds: number;
  /** Processor time of the services' process, all threads. */
  readonly cpuMicros: number;
}

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement> {
  const services = await Services.start();
  try {
    const rounds: Record<Kind, Round>[] = [];
    for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
      const before = round % 2 === 0 ? await services.run('plain') : undefined;
      const proven = await services.run('proven');
      const plain = before ?? (await services.run('plain'));
      if (round >= WARM_UPS) rounds.push({ plain, proven });
    }
    const mean = (of: Kind, value: keyof Round) =>
      rounds.reduce((sum, each) => sum + each[of][value], 0) / rounds.length;
    const ratioOf = ({ plain, proven }: Record<Kind, Round>) => plain.seconds / proven.seconds;
    const [low, high] = quartiles(rounds.map(ratioOf));
    const load = `${ROUNDS} pairs of rounds of ${ORDERS.toLocaleString('en')} orders, ${CONNECTIONS} connections, HTTP, signatures, journal and view, without a chain`;
    const perSecond = (of: Kind) => (ORDERS / mean(of, 'seconds')).toFixed(0);
    return {
      key: 'receipts.orders',
      value: mean('plain', 'seconds') / mean('proven', 'seconds'),
      conditions: `${load}: ${perSecond('proven')} orders/s, ${perSecond('plain')} without; half of the pairs between ${low} and ${high}; ${mean('proven', 'cpuMicros').toFixed(0)} us of processor time an order, ${mean('plain', 'cpuMicros').toFixed(0)} without`,
    };
  } finally {
    await services.stop();
  }
}

function quartiles(values: readonly number[]): string[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.25, 0.75].map((share) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(2));
}

type Kind = 'plain' | 'proven';

/**
 * Both services in one process, apart from the load. In two processes the same code differs by 7 % from start to start,
 * depending on compilation and memory layout.
 */
class Services {
  readonly #child: ChildProcess;
  readonly #urls: Record<Kind, string>;

  private constructor(child: ChildProcess, urls: Record<Kind, string>) {
    this.#child = child;
    this.#urls = urls;
  }

  static async start(): Promise<Services> {
    const child = fork(fileURLToPath(import.meta.url), [], { execArgv: ['--import', import.meta.resolve('tsx')] });
    const failed = once(child, 'exit').then(() =>
      Promise.reject(new Error('the services ended before they were ready')),
    );
    failed.catch(() => undefined);
    const [urls] = await Promise.race([once(child, 'message'), failed]);
    return new Services(child, urls);
  }

  async run(kind: Kind): Promise<Round> {
    const bodies = await signOrders({ count: ORDERS, domain: DOMAIN, marketId: TEST_MARKET });
    await this.#readCpu();
    const result = await postOrders({ url: this.#urls[kind], bodies, connections: CONNECTIONS, limitMs: LIMIT_MS });
    if (result.ok !== ORDERS) throw new Error(`not every order was taken: ${JSON.stringify(result.statuses)}`);
    return { seconds: ORDERS / result.okPerSecond, cpuMicros: (await this.#readCpu()) / ORDERS };
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await exited;
  }

  /** Processor time since the last call. */
  async #readCpu(): Promise<number> {
    const answered = once(this.#child, 'message');
    this.#child.send('cpu');
    const [cpu] = await answered;
    return cpu.micros;
  }
}

async function serve(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-receipts-'));
  const plain = await openService('plain', join(dataDir, 'plain'));
  const proven = await openService('proven', join(dataDir, 'proven'));
  let cpu = process.cpuUsage();
  process.on('message', async () => {
    // Otherwise records that one service has yet to write to its view would count as cost of the other's orders.
    await waitFor('the views show every order', () => plain.viewLag() + proven.viewLag() === 0, { pollMs: 5 });
    const { user, system } = process.cpuUsage(cpu);
    process.send?.({ micros: user + system });
    cpu = process.cpuUsage();
  });
  process.on('disconnect', async () => {
    await plain.close();
    await proven.close();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
  process.send?.({ plain: plain.url, proven: proven.url });
}

interface OpenService {
  readonly url: string;
  /** Number of records that its view does not show yet. */
  readonly viewLag: () => number;
  readonly close: () => Promise<void>;
}

async function openService(kind: Kind, dataDir: string): Promise<OpenService> {
  const receipts = new Receipts(openSigningKey('07'.repeat(32)));
  const onSealed = kind === 'proven' ? receipts.prepare : () => undefined;
  const config = { dataDir, archiveDays: 0, journalUrl: undefined, leaseSeconds: 1, partitions: 1 };
  const silent = { onProgress: () => undefined, onWarning: () => undefined };
  const place = { config, address: 'a benchmark', openDatabase: openJournalDatabase };
  const journal = await openJournal({ ...place, ...silent, nowMs: Date.now, onFatal, onSealed });
  const log = journal.markets[0]!;
  const host = await Host.open({ log, nowMs: Date.now });
  const commands = new HostCommands([host], kind === 'proven' ? receipts : undefined);
  const logs = { markets: [log], others: () => [] };
  const published =
    kind === 'proven' ? new PublicJournal({ ...logs, receipts, nowMs: Date.now, delayMs: 0 }) : undefined;
  await commands.listMarket(
    marketFacts({ chainId: DOMAIN.chainId, expiration: Math.floor(Date.now() / 1_000) + 86_400 }),
  );
  const store = await openStore({ dataDir });
  const answeredSeqs = () => [log.lastSeq];
  const noLog = SILENT_LOG;
  const view = await openViews({
    config: { journalUrl: undefined },
    journal: { markets: [log], control: log },
    store,
    answeredSeqs,
    onProgress: () => undefined,
    log: noLog,
  });
  const signers = await SignaturePool.open();
  const listener = new HttpListener();
  const url = await listener.listen(0, '127.0.0.1');
  await serveOrders(listener, { host, commands, signers });
  const close = async () => {
    await listener.close();
    await published?.close();
    await signers.close();
    await view.close();
    await store.close();
    await host.close();
    await journal.close();
  };
  return { url: `${url}/api/v1/orders`, viewLag: view.lag, close };
}

interface OrderPath {
  readonly host: Host;
  readonly commands: HostCommands;
  readonly signers: SignaturePool;
}

async function serveOrders(listener: HttpListener, { host, commands, signers }: OrderPath): Promise<void> {
  const { reads } = host;
  const clock = { nowSeconds: () => Math.floor(Date.now() / 1_000) };
  const admission = new Admission({ reads, signers, commands, clock });
  await admission.addChain({ domain: DOMAIN, minOrderSize: 1 });
  // Only placing is called; the other services of the endpoints are never used.
  const services = { orders: { submit: admission.submit }, reads } as unknown as ApiServices;
  const endpoints = orderEndpoints(services).filter(({ id }) => id === 'submitOrder');
  const log = SILENT_LOG;
  const plain = { rateLimits: false, corsOrigins: [], onAnswer: () => undefined };
  openHttpServer({ listener, log, ...plain }, [routesOf(endpoints)]);
}

function onFatal(error: unknown): void {
  throw error;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();
