// An engine in a simulated process: the seats of its partitions, composed as in the service, with a simulated disk, database and network.
import { openSigningKey } from '@presage/protocol/ed25519';
import { Shutdown } from '@presage/runtime';
import { SILENT_LOG } from '@presage/testkit';
import { ServiceClock } from '../../apps/server/src/clock.ts';
import { openCluster, openEngineSeats } from '../../apps/server/src/cluster/open.ts';
import { Receipts } from '../../apps/server/src/proof/receipts.ts';
import type { OpenJournalDatabase } from '../../apps/server/src/store/journal-database.ts';
import type { ProcessRun } from './machine.ts';
import { addressOf, type ClusterPlace, RECEIPT_KEY, type SimConfigOptions, toConfig } from './sim-config.ts';
import type { SimDisk } from './sim-disk.ts';

export interface SimEngineOptions extends SimConfigOptions {
  readonly place: ClusterPlace;
  readonly disk: SimDisk;
  readonly openDatabase: (url: string) => Promise<OpenJournalDatabase>;
  readonly checkpointEvery: number;
  /** Called when a partition was taken, handed over or lost. */
  readonly onChange: (message: string) => void;
  readonly run: Pick<ProcessRun, 'onWarning' | 'onFatal'>;
}

export interface SimEngine {
  /** Partitions that it owns. */
  readonly owned: () => readonly string[];
  readonly isSound: () => boolean;
  close(): Promise<void>;
}

/** Shared by all lives: opening a key costs more than a signature. */
const receipts = new Receipts(openSigningKey(RECEIPT_KEY));

/** Measured durations of a handover, which depend on the machine and are removed from lines. */
const MEASURED = /: [\d.]+ ms \(.*$/;

export async function openSimEngine(options: SimEngineOptions): Promise<SimEngine> {
  const { place, disk, openDatabase, checkpointEvery, onChange, run } = options;
  const { onWarning, onFatal } = run;
  const shutdown = new Shutdown((name, error) => onWarning(`${name} did not close: ${String(error)}`));
  const config = toConfig(options);
  const clock = new ServiceClock();
  const warn = (details: object, message: string) => onWarning(`${message} ${JSON.stringify(details)}`);
  const info = (_: object, message: string) => onChange(message.replace(MEASURED, ''));
  const log = { ...SILENT_LOG, info, warn, error: warn };
  const address = addressOf(place.machine);
  try {
    const { signatureOf: sign, publicKey: receiptKey } = receipts;
    const cluster = await openCluster({ config, address, openDatabase, onWarning, sign, receiptKey });
    shutdown.add('cluster', () => cluster.close());
    const ports = { files: disk, checkpointEvery, onDecided: () => undefined };
    const seats = await openEngineSeats({ config, cluster, address, clock, log, onFatal, ...ports });
    shutdown.add('partitions', () => seats.close());
    return { owned: () => seats.owned, isSound: () => seats.isSound, close: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}
