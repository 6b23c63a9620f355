// Composes a node with the engine role alone: it owns partitions, decides commands of other nodes, and answers HTTP probes only.
import type { RequestListener } from 'node:http';
import { Shutdown } from '@presage/runtime';
import { HttpListener, VERSION } from './api/open.ts';
import { ServiceClock } from './clock.ts';
import { openCluster, openEngineSeats } from './cluster/open.ts';
import type { ComposeOptions, Service } from './compose.ts';
import { openMetrics, openStandbyState } from './metrics/open.ts';
import { openReceipts } from './proof/open.ts';
import { openJournalDatabase } from './store/open.ts';

export async function composeEngine({ config, log, onFatal, signal }: ComposeOptions): Promise<Service> {
  const shutdown = new Shutdown((name, error) =>
    log.error({ name, error: String(error) }, 'component failed to shut down'),
  );
  signal.addEventListener('abort', () => void shutdown.run());
  try {
    const clock = new ServiceClock();
    const listener = new HttpListener();
    const url = await listener.listen(config.port, config.host);
    shutdown.add('listener', () => listener.close());
    const metrics = openMetrics({ version: VERSION, node: process.version });
    shutdown.add('metrics', () => metrics.close());
    const onWarning = (message: string) => log.warn({}, message);
    const standby = openStandbyState(metrics);
    const { standbyAway } = config;
    const openDatabase = (at: string) => openJournalDatabase(at, { standbyAway, onWarning, onStandby: standby.note });
    const place = { config, address: url, openDatabase };
    const { signatureOf: sign, publicKey: receiptKey } = await openReceipts(config);
    const cluster = await openCluster({ ...place, onWarning, sign, receiptKey });
    shutdown.add('cluster', () => cluster.close());
    const { observeMatch: onDecided } = metrics;
    const seats = await openEngineSeats({ config, cluster, address: url, clock, onDecided, log, onFatal });
    shutdown.add('partitions', () => seats.close());
    listener.open(
      answerProbes({
        text: async () => (await metrics.render()).text,
        owned: () => seats.owned,
        isSound: () => seats.isSound,
        isStandbyAway: standby.isAway,
        hasOtherReceiptKey: () => cluster.hasOtherReceiptKey(),
      }),
    );
    return { url, adminUrl: undefined, close: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

interface Probes {
  readonly text: () => Promise<string>;
  readonly owned: () => readonly string[];
  /** Whether this node reads the journal and found no damage in it. */
  readonly isSound: () => boolean;
  readonly isStandbyAway: () => boolean;
  readonly hasOtherReceiptKey: () => boolean;
}

/** Answers probes. A node without a partition is ready too: engines beyond the number of partitions stand by. */
function answerProbes({ text, owned, isSound, isStandbyAway, hasOtherReceiptKey }: Probes): RequestListener {
  const answers: Readonly<Record<string, () => Promise<string> | string>> = {
    '/health': () => JSON.stringify({ status: 'alive' }),
    '/ready': () => {
      const degraded = [
        ...(isSound() ? [] : ['journal']),
        ...(isStandbyAway() ? ['standby'] : []),
        ...(hasOtherReceiptKey() ? ['receipt_key'] : []),
      ];
      return JSON.stringify({ status: isSound() ? 'ready' : 'waiting', degraded, partitions: owned() });
    },
    '/metrics': text,
  };
  return async (request, response) => {
    const answer = answers[(request.url ?? '/').split('?')[0] ?? '/'];
    const body = (await answer?.()) ?? JSON.stringify({ error: 'This node only decides: ask a gateway' });
    const type = answer === text ? 'text/plain; version=0.0.4' : 'application/json; charset=utf-8';
    const isUnready = answer === answers['/ready'] && !isSound();
    const status = isUnready ? 503 : 200;
    response.writeHead(answer === undefined ? 404 : status, { 'Content-Type': type }).end(body);
  };
}
