// The service put together, top to bottom as the data flows; what is opened here is closed here, in reverse.
import { openAdmission, openSigners } from './admission/open.ts';
import { HttpListener, openApi } from './api/open.ts';
import { openAuth } from './auth/open.ts';
import { openChains } from './chains/open.ts';
import { ServiceClock } from './clock.ts';
import type { Config } from './config.ts';
import { openHost, openJournal, openSwitches } from './host/open.ts';
import { openMetrics } from './metrics/open.ts';
import { openPrices } from './prices/open.ts';
import { openViews } from './projections/open.ts';
import { openAnchors, openPublicJournal, openReceipts } from './proof/open.ts';
import { openSandbox } from './sandbox/open.ts';
import { Shutdown } from './shutdown.ts';
import { openStore } from './store/open.ts';

interface ServiceLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly log: ServiceLog;
  /** A step worth showing to the person who waits. */
  readonly onProgress: (step: string) => void;
  /** The sandbox's demo maker should run, or stop. */
  readonly onMaker: (running: boolean) => void;
  /** The journal cannot be trusted any more: the process must end. */
  readonly onFatal: (error: unknown) => void;
}

export interface Service {
  readonly url: string;
  close(): Promise<void>;
}

export async function compose(options: ComposeOptions): Promise<Service> {
  const { log } = options;
  const shutdown = new Shutdown((name, error) => log.error({ name, error: String(error) }, 'a part did not close'));
  try {
    return await build(options, shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function build(options: ComposeOptions, shutdown: Shutdown): Promise<Service> {
  const { config, log, onProgress, onMaker, onFatal } = options;
  const clock = new ServiceClock();
  const { nowMs } = clock;

  // The listener is open from the first moment and answers 425 until the service is ready.
  const listener = new HttpListener();
  const url = await listener.listen(config.port, config.host);
  const openingSigners = openSigners({ log });
  shutdown.add('signatures', async () => (await openingSigners).close());
  const metrics = openMetrics();
  shutdown.add('metrics', () => metrics.close());

  // Journal: the truth.
  const onWarning = (message: string) => log.warn({}, message);
  const { dataDir, archiveDays } = config;
  const receipts = await openReceipts(config);
  const [onDurable, onSealed] = [metrics.observeJournal, receipts.prepare];
  // Until the view says how far it is, all of it is needed.
  let neededFromSeq = () => 1;
  const retention = { archiveDays, neededFromSeq: () => neededFromSeq() };
  const journal = await openJournal({ dataDir, nowMs, onFatal, onDurable, onWarning, onSealed, ...retention });
  shutdown.add('journal', () => journal.close());
  const { note, markets, control } = journal;
  const auth = openAuth({ serviceName: config.serviceName, signers: openingSigners, note });
  const sandbox = openSandbox({ config, clock, note, onMaker });
  const switches = openSwitches({ note, log });
  await journal.followControl([clock, auth, switches, sandbox]);
  const prices = await openPrices({ config, nowMs, log, beforeConnect: () => sandbox.beforeConnect() });
  shutdown.add('prices', () => prices.close());

  // Engine and database start side by side: the one waits for the processor, the other for disks.
  onProgress('starting the database');
  const [store, host] = await Promise.all([
    openStore({ databaseUrl: config.databaseUrl, dataDir, onProgress }),
    openHost({ partition: markets, nowMs, onDecided: metrics.observeMatch, onProgress, receipts, log }),
  ]);
  shutdown.add('database', () => store.close());
  shutdown.add('host', () => host.close());
  const { reads, commands } = host;

  // Views: the database shows what the journal says.
  const projections = await openViews({ source: markets, store, answeredSeq: host.durableSeq, onProgress, log });
  shutdown.add('projections', () => projections.close());
  const { views } = projections;
  neededFromSeq = projections.neededFromSeq;

  // Chains: the judges. Each has its own partition, sender and indexer, and sees its own markets only.
  onProgress('asking the chains');
  const chains = await openChains({ config, clock, host, journal, views, prices, sandbox, shutdown, log, onFatal });
  journal.followMarkets([metrics, chains]);

  // Admission: may this become a command?
  const signers = await openingSigners;
  const admission = await openAdmission({ chains, reads, signers, commands, clock });
  metrics.addGauges({ ...prices.gauges(), ...projections.gauges(), ...signers.gauges() });
  await chains.onOpened(({ config: { chainId }, gauges }) => metrics.addGauges(gauges(), { chain: `${chainId}` }));

  host.start();
  switches.start(commands);
  shutdown.add('dead-man switches', () => switches.close());
  chains.start();
  shutdown.add('sandbox', () => sandbox.close());
  const sandboxServices = await sandbox.serve({ chains, reads, prices, log });

  // Proof: what anyone may check.
  const others = [...chains.list().map(({ partition }) => partition), control];
  const publicJournal = openPublicJournal({ config, markets, others, receipts, nowMs });
  shutdown.add('public journal', () => publicJournal.close());
  const anchors = await openAnchors({ config, chain: chains.first, journal: publicJournal, nowMs, log });
  shutdown.add('anchors', () => anchors?.close());
  anchors?.start();

  // API: nothing behind it but ports.
  const isDatabaseUp = () => store.isUp();
  const api = await openApi({
    listener,
    config,
    chains,
    clock,
    log,
    metrics,
    reads,
    views,
    marketLog: markets,
    publicJournal,
    anchors,
    receipts,
    admission,
    commands,
    switches,
    prices,
    status: { isDatabaseUp, viewLag: projections.lag, signatureQueue: () => signers.outstanding },
    guard: auth.guard,
    keys: auth.keys,
    ...(sandboxServices && { sandbox: sandboxServices }),
  });
  shutdown.add('api', () => api.close());
  sandbox.start();
  return { url, close: () => shutdown.run() };
}
