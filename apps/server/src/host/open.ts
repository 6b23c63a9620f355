// Opens the journal, the dead-man switches and the host: everything that decides and remembers.

import type { FrameSeal } from '@presage/journal';
import { type JournalRecord, marketPartitionName, PresageError } from '@presage/protocol';
import { type Shutdown, sleep } from '@presage/runtime';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { ControlState } from './control-state.ts';
import { DeadManSwitches, type DeadManSwitchesOptions } from './dead-man-switches.ts';
import { DiskSpace } from './disk-space.ts';
import { followRecords, type RecordFollower } from './follow-records.ts';
import { Host } from './host.ts';
import { HostCommands, type ReceiptPort } from './host-commands.ts';
import { type JournalPlace, openJournalBody, type PartitionExtras } from './journal-body.ts';
import type { AfterFailure } from './journal-writer.ts';
import { MarketHosts } from './market-hosts.ts';
import { agreePartitionCount } from './partition-count.ts';
import { PartitionLog, type PartitionLogOptions } from './partition-log.ts';
import { PartitionState, type RecordFold } from './partition-state.ts';
import type { HostOptions, MarketReads, OtherNodes, OthersPartition, PartitionHost } from './ports.ts';

/** Watches the disk of the journal until the shutdown. */
export async function watchDisk({ shutdown, ...options }: WatchDiskOptions): Promise<DiskSpace> {
  const disk = new DiskSpace(options);
  shutdown.add('disk', () => disk.close());
  await disk.look();
  disk.start();
  return disk;
}

interface WatchDiskOptions {
  readonly dir: string;
  readonly log: Log;
  readonly shutdown: Shutdown;
}

export interface OpenJournalOptions extends Pick<PartitionLogOptions, 'nowMs' | 'onFatal' | 'onDurable'>, JournalPlace {
  readonly config: JournalPlace['config'] & Pick<Config, 'partitions'>;
  readonly onProgress: (step: string) => void;
  /** This node waits for a partition, and for what reason. */
  readonly onStandBy?: (reason: string) => void;
  readonly onWarning: (message: string) => void;
  /** The database has another history than this node has read: given where all of it is to be read again. */
  readonly onDiffers?: ((error: unknown) => void) | undefined;
  /** A frame of the markets is on its way to the disk. */
  readonly onSealed: (frame: FrameSeal) => void;
  /** Undefined for a single node, which owns every partition. */
  readonly others?: OtherNodes | undefined;
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
  /** The host of a partition of markets, here or elsewhere. */
  openHost(options: HostOptions): Promise<PartitionHost>;
  /** How far this node has applied what writes are answered from. */
  positions(): Record<string, number>;
  /** False after a failed write of any partition of this node, until it can be written again. */
  isWritable(): boolean;
  /** Whether what other nodes write is seen here, as far as this node follows any. */
  isFollowing(): boolean;
  /** Whether it got there in time. */
  reached(partition: string, seq: number, withinMs: number): Promise<boolean>;
  readonly keepState: KeepState;
  /** Records of each market partition, and those that the audit log is made of, from there on are needed by others than a start of the host: their archives are not deleted. */
  keepFor(needed: { readonly markets: (index: number) => number; readonly control: () => number }): void;
  /** Rejects records that wait for a failed journal, now and later: this node stops. */
  stopWaiting(): void;
  close(): Promise<void>;
}

/** Recovers what the records of a partition add up to, and keeps checkpoints of it until the journal closes. */
export type KeepState = <Fold extends RecordFold>(
  log: PartitionLog,
  create: () => Fold,
) => Promise<PartitionState<Fold>>;

export async function openJournal({
  config,
  address,
  openDatabase,
  disk,
  onProgress,
  onStandBy = (reason) => onProgress(`standing by: ${reason}`),
  onWarning,
  onDiffers,
  onSealed,
  others,
  checkpointEvery,
  ...options
}: OpenJournalOptions): Promise<Journal> {
  const { onFatal } = options;
  // Among others there is a connection to the database already.
  const connect = others === undefined ? openDatabase : async () => sharedDatabase(others);
  const place = { config, address, openDatabase: connect, ...(disk && { disk }) };
  /** The partitions of other nodes; one whose state is kept is followed as soon as that state is recovered. */
  const followed = new Map<PartitionLog, OthersPartition>();
  const assertSame = () => {
    for (const each of followed.values()) each.assertSame();
  };
  const body = await openJournalBody({ ...place, onStandBy, onWarning, onFatal, assertSame });
  // Until the views say how far they are, all of it is needed.
  let needed: Parameters<Journal['keepFor']>[0] = { markets: () => 1, control: () => 1 };
  const opened: PartitionLog[] = [];
  const states: { close(): Promise<void> }[] = [];
  const keepState: KeepState = async (log, create) => {
    const state = await PartitionState.open({ log, create, checkpointEvery, onWarning });
    states.push(state);
    followed.get(log)?.start();
    return state;
  };
  const stopped = new Set<string>();
  const openPartition = async (partition: string, afterFailure: AfterFailure, extras?: PartitionExtras) => {
    if (others !== undefined && !others.owns(partition)) {
      const other = await others.follow(partition, { onFatal, onWarning, onDiffers });
      followed.set(other.log, other);
      return other.log;
    }
    const journal = await body.open(partition, extras);
    const onStopped = (error: unknown) => {
      if (error === undefined) stopped.delete(partition);
      else stopped.add(partition);
      onWarning(
        error === undefined
          ? `journal of ${partition} is writable again`
          : `write to the journal of ${partition} failed; refusing writes and reopening it: ${String(error)}`,
      );
    };
    const log = await PartitionLog.open({ ...options, journal, afterFailure, onStopped });
    opened.push(log);
    return log;
  };
  const close = async () => {
    for (const each of followed.values()) each.close();
    for (const state of states.splice(0)) await state.close();
    for (const log of opened.splice(0).reverse()) await log.close();
    await body.close();
  };
  try {
    const control = await openPartition('control', 'refuse', { neededFromSeq: () => needed.control() });
    const { fold } = await keepState(control, () => new ControlState());
    const openMarkets = (index: number) =>
      openPartition(marketPartitionName(index), 'refuse', { onSealed, neededFromSeq: () => needed.markets(index) });
    const first = await openMarkets(0);
    const agreed = { wanted: config.partitions, fold, control, first, nowMs: options.nowMs };
    await untilOwned(() => agreePartitionCount(agreed), onProgress);
    const markets = [first];
    while (markets.length < config.partitions) markets.push(await openMarkets(markets.length));
    return {
      markets,
      control,
      openChain: (chainId) => openPartition(`chain-${chainId}`, 'wait'),
      note: async (record) => void (await control.append([record])),
      followControl: (followers) => {
        followRecords(control, fold.records(), followers);
        const accept = (record: JournalRecord) => {
          for (const follower of followers) follower.accept?.(record);
        };
        if (others?.owns('control')) others.serve({ log: control, accept });
      },
      followMarkets: (followers) => {
        for (const log of markets) followRecords(log, [], followers);
      },
      isWritable: () => stopped.size === 0,
      positions: () => Object.fromEntries([control, ...markets].map((log) => [log.partition, log.lastSeq])),
      isFollowing: () => [...followed.values()].every(({ isCutOff }) => !isCutOff),
      reached: async (partition, seq, withinMs) => {
        const log = [control, ...markets].find((each) => each.partition === partition);
        return (await log?.reachedWithin(seq, withinMs)) === true;
      },
      openHost: async (hostOptions) => {
        const { log } = hostOptions;
        const other = followed.get(log);
        if (other !== undefined) return other.openHost(hostOptions);
        const host = await Host.open(hostOptions);
        others?.serve({ log, host });
        return host;
      },
      keepState,
      keepFor: (consumers) => {
        needed = { ...consumers };
      },
      stopWaiting: () => {
        for (const log of opened) log.stopWaiting();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function sharedDatabase({ database }: OtherNodes) {
  return { database, warnings: [], close: async () => undefined };
}

/** Asking takes longer where there is an engine to be found at all. */
const OWNER_LOOK_MS = 200;

/** Nodes start in any order: one that finds nobody who decides waits for it. */
async function untilOwned(ask: () => Promise<void>, onProgress: (step: string) => void): Promise<void> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PresageError) || error.code !== 'partition_unavailable') throw error;
      onProgress('waiting for an engine to take the control partition');
      await sleep(OWNER_LOOK_MS);
    }
  }
}

export interface OpenSwitchesOptions extends Pick<DeadManSwitchesOptions, 'note'> {
  /** Only where the control partition is decided on do expired ones act. */
  readonly config: Pick<Config, 'roles'>;
  readonly log: Log;
}

export function openSwitches({ config, note, log }: OpenSwitchesOptions): DeadManSwitches {
  const onTrouble = (error: unknown) =>
    log.warn({ error: String(error) }, 'an expired dead-man switch could not be carried out');
  return new DeadManSwitches({ wallMs: Date.now, note, onTrouble, isActing: () => config.roles.includes('engine') });
}

export interface OpenHostOptions extends Pick<HostOptions, 'nowMs' | 'onDecided' | 'checkpointEvery'> {
  readonly journal: Pick<Journal, 'markets' | 'openHost'>;
  /** A step worth showing to the person who waits. */
  readonly onProgress: (step: string) => void;
  readonly receipts: ReceiptPort;
  readonly log: Log;
}

export interface OpenHost {
  /** One for each partition of markets, m0 first. */
  readonly partitions: readonly PartitionHost[];
  /** Follows durable frames only: everything that is read or streamed comes from it. */
  readonly reads: MarketReads;
  readonly commands: HostCommands;
  /** For each partition, in their order: everything answered so far lies at or below it. */
  readonly durableSeqs: () => readonly number[];
  readonly note: PartitionHost['note'];
  start(): void;
  close(): Promise<void>;
}

export async function openHost({ journal, receipts, onProgress, log, ...options }: OpenHostOptions): Promise<OpenHost> {
  const open = (partition: PartitionLog) =>
    journal.openHost({
      ...options,
      log: partition,
      onProgress: ({ done, total }) => onProgress(`replaying the journal: ${done} of ${total}`),
      onWarning: (message) => log.warn({}, message),
    });
  const opened = await Promise.all(journal.markets.map(open));
  // A journal has one partition of markets at least.
  const hosts = new MarketHosts(opened as [PartitionHost, ...PartitionHost[]]);
  return {
    partitions: hosts.all,
    reads: hosts.reads,
    commands: new HostCommands(hosts, receipts),
    durableSeqs: () => hosts.all.map(({ durableSeq }) => durableSeq),
    note: (record) => hosts.note(record),
    start: () => hosts.start(),
    close: () => hosts.close(),
  };
}
