// Opens the journal, the dead-man switches and the host: everything that decides and remembers.
import type { FrameSeal } from '@presage/journal';
import { type JournalRecord, marketPartitionName } from '@presage/protocol';
import type { Config } from '../config.ts';
import { ControlState } from './control-state.ts';
import { DeadManSwitches, type DeadManSwitchesOptions } from './dead-man-switches.ts';
import { DiskSpace } from './disk-space.ts';
import { followRecords, type RecordFollower } from './follow-records.ts';
import { Host, type HostOptions } from './host.ts';
import { HostCommands, type ReceiptPort } from './host-commands.ts';
import { type JournalPlace, openJournalBody, type PartitionExtras } from './journal-body.ts';
import { MarketHosts } from './market-hosts.ts';
import { agreePartitionCount } from './partition-count.ts';
import { PartitionLog, type PartitionLogOptions } from './partition-log.ts';
import { PartitionState, type RecordFold } from './partition-state.ts';
import type { MarketReads, PartitionHost } from './ports.ts';

/** Watches the disk of the journal until it is closed. */
export async function watchDisk(options: { dir: string; log: DiskLog }): Promise<DiskSpace> {
  const disk = new DiskSpace(options);
  await disk.look();
  disk.start();
  return disk;
}

type DiskLog = ConstructorParameters<typeof DiskSpace>[0]['log'];

export interface OpenJournalOptions extends Omit<PartitionLogOptions, 'journal'>, JournalPlace {
  readonly config: JournalPlace['config'] & Pick<Config, 'partitions'>;
  readonly onProgress: (step: string) => void;
  readonly onWarning: (message: string) => void;
  /** A frame of the markets is on its way to the disk. */
  readonly onSealed: (frame: FrameSeal) => void;
  /** Records between two checkpoints of a partition's state. */
  readonly checkpointEvery?: number;
}

/** Keys, tokens, switches and clock are in the control partition, orders and trades in those of the markets. */
export interface Journal {
  /** m0 first. */
  readonly markets: readonly PartitionLog[];
  readonly control: PartitionLog;
  openChain(chainId: number): Promise<PartitionLog>;
  /** Into the control partition; durable, and followed, when it resolves. */
  note(record: JournalRecord): Promise<void>;
  /** Shows the followers what the control partition says; from then on they see each new record. */
  followControl(followers: readonly RecordFollower[]): void;
  /** From now on the followers see each new record of the markets. */
  followMarkets(followers: readonly RecordFollower[]): void;
  readonly keepState: KeepState;
  /** Records of each market partition, and those that the audit log is made of, from there on are needed by others than a start of the host: their archives are not deleted. */
  keepFor(needed: { readonly markets: (index: number) => number; readonly control: () => number }): void;
  close(): Promise<void>;
}

/** Recovers what the records of a partition add up to, and keeps checkpoints of it until the journal closes. */
export type KeepState = <Fold extends RecordFold>(
  log: PartitionLog,
  create: () => Fold,
) => Promise<PartitionState<Fold>>;

/** A start reads at most so many records beyond the checkpoint, some of them with a whole signed batch. */
const CHECKPOINT_EVERY = 1_000;

export async function openJournal({
  config,
  address,
  openDatabase,
  disk,
  onProgress,
  onWarning,
  onSealed,
  checkpointEvery = CHECKPOINT_EVERY,
  ...options
}: OpenJournalOptions): Promise<Journal> {
  const { onFatal } = options;
  const place = { config, address, openDatabase, ...(disk && { disk }) };
  const body = await openJournalBody({ ...place, onProgress, onWarning, onFatal });
  // Until the views say how far they are, all of it is needed.
  let needed: Parameters<Journal['keepFor']>[0] = { markets: () => 1, control: () => 1 };
  const opened: PartitionLog[] = [];
  const states: { close(): Promise<void> }[] = [];
  const keepState: KeepState = async (log, create) => {
    const state = await PartitionState.open({ log, create, checkpointEvery, onWarning });
    states.push(state);
    return state;
  };
  const openPartition = async (partition: string, extras?: PartitionExtras) => {
    const journal = await body.open(partition, extras);
    const log = await PartitionLog.open({ ...options, journal });
    opened.push(log);
    return log;
  };
  const close = async () => {
    for (const state of states.splice(0)) await state.close();
    for (const log of opened.splice(0).reverse()) await log.close();
    await body.close();
  };
  try {
    const control = await openPartition('control', { neededFromSeq: () => needed.control() });
    const { fold } = await keepState(control, () => new ControlState());
    const openMarkets = (index: number) =>
      openPartition(marketPartitionName(index), { onSealed, neededFromSeq: () => needed.markets(index) });
    const first = await openMarkets(0);
    await agreePartitionCount({ wanted: config.partitions, fold, control, first, nowMs: options.nowMs });
    const markets = [first];
    while (markets.length < config.partitions) markets.push(await openMarkets(markets.length));
    return {
      markets,
      control,
      openChain: (chainId) => openPartition(`chain-${chainId}`),
      note: async (record) => void (await control.append([record])),
      followControl: (followers) => followRecords(control, fold.records(), followers),
      followMarkets: (followers) => {
        for (const log of markets) followRecords(log, [], followers);
      },
      keepState,
      keepFor: (looks) => {
        needed = { ...looks };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface OpenSwitchesOptions extends Pick<DeadManSwitchesOptions, 'note'> {
  readonly log: HostLog;
}

interface HostLog {
  warn(details: object, message: string): void;
}

export function openSwitches({ note, log }: OpenSwitchesOptions): DeadManSwitches {
  const onTrouble = (error: unknown) =>
    log.warn({ error: String(error) }, 'an expired dead-man switch could not be carried out');
  return new DeadManSwitches({ wallMs: Date.now, note, onTrouble });
}

export interface OpenHostOptions extends Pick<HostOptions, 'nowMs' | 'onDecided' | 'checkpointEvery'> {
  readonly partitions: readonly PartitionLog[];
  /** A step worth showing to the person who waits. */
  readonly onProgress: (step: string) => void;
  readonly receipts: ReceiptPort;
  readonly log: HostLog;
}

export interface OpenHost {
  /** Follows durable frames only: everything that is read or streamed comes from it. */
  readonly reads: MarketReads;
  readonly commands: HostCommands;
  /** Of each partition, in their order: everything answered so far lies at or below them. */
  readonly durableSeqs: () => readonly number[];
  readonly note: PartitionHost['note'];
  start(): void;
  close(): Promise<void>;
}

export async function openHost({ partitions, receipts, ...options }: OpenHostOptions): Promise<OpenHost> {
  const opened = await Promise.all(partitions.map((log) => openPartitionHost(log, options)));
  const hosts = new MarketHosts(opened as [Host, ...Host[]]);
  return {
    reads: hosts.reads,
    commands: new HostCommands(hosts, receipts),
    durableSeqs: () => hosts.all.map(({ durableSeq }) => durableSeq),
    note: (record) => hosts.note(record),
    start: () => hosts.start(),
    close: () => hosts.close(),
  };
}

function openPartitionHost(partition: PartitionLog, options: Omit<OpenHostOptions, 'partitions' | 'receipts'>) {
  const { onProgress, log, ...rest } = options;
  return Host.open({
    ...rest,
    log: partition,
    onProgress: ({ done, total }) => onProgress(`replaying the journal: ${done} of ${total}`),
    onWarning: (message) => log.warn({}, message),
  });
}
