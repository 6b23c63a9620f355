// The service put together, top to bottom as the data flows; what is opened here is closed here, in reverse.

import { Shutdown } from '@presage/runtime';
import { openAdmission, openSigners } from './admission/open.ts';
import { HttpListener, openApi, VERSION } from './api/open.ts';
import { openAuth } from './auth/open.ts';
import { openChains } from './chains/open.ts';
import { ServiceClock } from './clock.ts';
import { openCluster } from './cluster/open.ts';
import type { Config } from './config.ts';
import { openHost, openJournal, openSwitches, watchDisk } from './host/open.ts';
import type { Log } from './log/log.ts';
import { openMetrics, watchChain, watchSurroundings } from './metrics/open.ts';
import { openOperator, openPresentation } from './operator/open.ts';
import { openPrices } from './prices/open.ts';
import { openAuditLog, openViews } from './projections/open.ts';
import { openAnchors, openPublicJournal, openReceipts } from './proof/open.ts';
import { openSandbox } from './sandbox/open.ts';
import { openJournalDatabase, openStore } from './store/open.ts';

export interface ComposeOptions {
  readonly config: Config;
  readonly log: Log;
  /** A step worth showing to the person who waits. */
  readonly onProgress: (step: string) => void;
  /** The sandbox's demo maker should run, or stop. */
  readonly onMaker: (running: boolean) => void;
  /** This node waits for a partition of a shared journal: for another node to give it up, or for the right database. */
  readonly onStandBy: () => void;
  /** The journal cannot be trusted any more: the process must end, or stand by. */
  readonly onFatal: (error: unknown) => void;
}

export interface Service {
  readonly url: string;
  /** Where operators act; undefined where they do so at the main address. */
  readonly adminUrl: string | undefined;
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
  shutdown.add('listener', () => listener.close());
  const adminListener = config.admin && new HttpListener();
  const adminUrl = config.admin && (await adminListener?.listen(config.admin.port, config.admin.host));
  shutdown.add('admin listener', () => adminListener?.close());
  const signers = openSigners({ log });
  shutdown.add('signatures', async () => (await signers.opened).close());
  const metrics = openMetrics({ version: VERSION, node: process.version });
  shutdown.add('metrics', () => metrics.close());

  // Journal: the truth.
  const onWarning = (message: string) => log.warn({}, message);
  const receipts = await openReceipts(config);
  const [onDurable, onSealed] = [metrics.observeJournal, receipts.prepare];
  const place = { config, address: url, openDatabase: openJournalDatabase, nowMs, onProgress, onFatal, onWarning };
  const cluster = await openCluster(place);
  shutdown.add('cluster', () => cluster?.close());
  const onStandBy = (reason: string) => {
    listener.waitFor('journal');
    onProgress(`standing by: ${reason}`);
    options.onStandBy();
  };
  // A gateway goes on showing what it has shown. A settler writes by what it has read, so it reads all of it again.
  const onDiffers = config.roles.includes('settler') ? onFatal : undefined;
  const journal = await openJournal({ ...place, others: cluster, onDurable, onSealed, onStandBy, onDiffers });
  shutdown.add('journal', () => journal.close());
  const { note, markets, control } = journal;
  const disk = await watchDisk({ dir: config.dataDir, log, shutdown });
  const journalFault = () => (disk.isFull() ? 'disk_full' : journal.isWritable() ? undefined : 'write_failed');
  const auth = openAuth({ config, signers, note });
  const sandbox = openSandbox({ config, clock, note, onMaker });
  const switches = openSwitches({ config, note, log });
  const operator = await openOperator({ config, checkerOf: auth.checkerOf, note });
  journal.followControl([clock, auth, switches, sandbox, operator]);
  const prices = await openPrices({ config, nowMs, log, beforeConnect: () => sandbox.beforeConnect() });
  shutdown.add('prices', () => prices.close());

  // Engine and database start side by side: the one waits for the processor, the other for disks.
  onProgress('starting the database');
  const [store, host] = await Promise.all([
    openStore({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, onProgress }),
    openHost({ journal, nowMs, onDecided: metrics.observeMatch, onProgress, receipts, log }),
  ]);
  shutdown.add('database', () => store.close());
  shutdown.add('host', () => host.close());
  const { reads, commands, durableSeqs: answeredSeqs } = host;

  // Views: the database shows what the journal says.
  const shared = cluster && config.databaseUrl ? { address: url, leaseMs: config.leaseSeconds * 1_000 } : undefined;
  const projections = await openViews({ config, journal, store, shared, answeredSeqs, onProgress, log });
  shutdown.add('projections', () => projections.close());
  const { views, owner, lag: viewLag } = projections;
  const { audit, trouble } = await openAuditLog({ config, source: control, sql: store.sql, owner, log });
  shutdown.add('audit log', () => audit.close());
  const viewTrouble = () => projections.trouble() ?? trouble();
  journal.keepFor({ markets: projections.neededFromSeq, control: audit.neededFromSeq });

  // Chains: the judges. Each has its own partition, sender and indexer, and sees its own markets only.
  onProgress('asking the chains');
  const ground = { config, clock, host, journal, views, prices, sandbox, signers };
  const chains = await openChains({ ...ground, shutdown, log, onFatal });
  journal.followMarkets([metrics, chains]);

  // Admission: may this become a command?
  const pool = await signers.opened;
  const admission = await openAdmission({ chains, reads, signers: pool, commands, clock, stops: operator.state });
  watchSurroundings(metrics, { dataDir: config.dataDir, isDatabaseUp: store.isUp });
  metrics.addGauges({ ...prices.gauges(), ...projections.gauges(), ...pool.gauges(), ...operator.gauges() });
  await chains.onOpened((chain) => watchChain(metrics, chain));
  host.start();
  switches.start(commands);
  shutdown.add('dead-man switches', () => switches.close());
  chains.start();
  shutdown.add('sandbox', () => sandbox.close());
  const sandboxServices = await sandbox.serve({ chains, reads, prices, operatorKey: operator.sandboxKey, log });

  // Proof: what anyone may check.
  const others = () => [...chains.list().map(({ partition }) => partition), control];
  const publicJournal = openPublicJournal({ config, markets, others, receipts, nowMs });
  shutdown.add('public journal', () => publicJournal.close());
  const anchors = openAnchors({ config, journal: publicJournal, nowMs, log });
  shutdown.add('anchors', () => anchors.close());
  await chains.onOpened(anchors.add);

  // API: nothing behind it but ports.
  const sources = { config, chains, clock, log, metrics, reads, views, marketLogs: markets, prices };
  const ports = { publicJournal, anchors, receipts, admission, commands, switches, ...auth };
  const api = await openApi({
    listener,
    adminListener,
    ...sources,
    ...ports,
    ...(cluster && { positions: journal, gateways: cluster.gatewayCount, passOn: cluster.passOn }),
    status: {
      isDatabaseUp: store.isUp,
      journalFault,
      lacking: () => [
        ...(journal.isFollowing() && journal.isWritable() ? [] : (['journal'] as const)),
        ...(cluster === undefined || cluster.areEnginesHeard() ? [] : (['engine'] as const)),
      ],
      viewLag,
      viewTrouble,
      signatureQueue: () => pool.outstanding,
    },
    operator: { ...operator, service: operator.serve({ chains, reads, commands, clock, log }), audit },
    presentation: openPresentation(operator),
    ...(sandboxServices && { sandbox: sandboxServices }),
  });
  shutdown.add('api', () => api.close());
  // First of all: requests and batches that wait for an engine would hold up the rest.
  shutdown.add('waiting for owners', () => cluster?.hurry());
  sandbox.start();
  return { url, adminUrl, close: () => shutdown.run() };
}
