// Opens the journal, the dead-man switches and the host: everything that decides and remembers.
import type { Engine } from '@presage/engine';
import type { FrameSeal } from '@presage/journal';
import type { JournalRecord } from '@presage/protocol';
import { ControlState } from './control-state.ts';
import { DeadManSwitches, type DeadManSwitchesOptions } from './dead-man-switches.ts';
import { DiskSpace } from './disk-space.ts';
import { followRecords, type RecordFollower } from './follow-records.ts';
import { Host, type HostOptions } from './host.ts';
import { HostCommands, type ReceiptPort } from './host-commands.ts';
import { type JournalPlace, openJournalBody, type PartitionExtras } from './journal-body.ts';
import { PartitionLog, type PartitionLogOptions } from './partition-log.ts';
import { PartitionState, type RecordFold } from './partition-state.ts';

/** Watches the disk of the journal until it is closed. */
export async function watchDisk(options: { dir: string; log: DiskLog }): Promise<DiskSpace> {
  const disk = new DiskSpace(options);
  await disk.look();
  disk.start();
  return disk;
}

type DiskLog = ConstructorParameters<typeof DiskSpace>[0]['log'];

export interface OpenJournalOptions extends Omit<PartitionLogOptions, 'journal'>, JournalPlace {
  readonly onProgress: (step: string) => void;
  readonly onWarning: (message: string) => void;
  /** A frame of the markets is on its way to the disk. */
  readonly onSealed: (frame: FrameSeal) => void;
  /** Records between two checkpoints of a partition's state. */
  readonly checkpointEvery?: number;
}

/** Keys, tokens, switches and clock are in the control partition, orders and trades in the markets' partition. */
export interface Journal {
  readonly markets: PartitionLog;
  readonly control: PartitionLog;
  openChain(chainId: number): Promise<PartitionLog>;
  /** Into the control partition; durable, and followed, when it resolves. */
  note(record: JournalRecord): Promise<void>;
  /** Resolves when the followers know what the control partition says; from then on they see each new record. */
  followControl(followers: readonly RecordFollower[]): Promise<void>;
  /** From now on the followers see each new record of the markets. */
  followMarkets(followers: readonly RecordFollower[]): void;
  readonly keepState: KeepState;
  /** Records of the markets, and those that the audit log is made of, from there on are needed by others than a start of the host: their archives are not deleted. */
  keepFor(needed: { readonly markets: () => number; readonly control: () => number }): void;
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
  let needed = { markets: () => 1, control: () => 1 };
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
    const markets = await openPartition('m0', { onSealed, neededFromSeq: () => needed.markets() });
    return {
      markets,
      control,
      openChain: (chainId) => openPartition(`chain-${chainId}`),
      note: async (record) => void (await control.append([record])),
      followControl: async (followers) => {
        const { fold } = await keepState(control, () => new ControlState());
        followRecords(control, fold.records(), followers);
      },
      followMarkets: (followers) => followRecords(markets, [], followers),
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
  readonly partition: PartitionLog;
  /** A step worth showing to the person who waits. */
  readonly onProgress: (step: string) => void;
  readonly receipts: ReceiptPort;
  readonly log: HostLog;
}

export interface OpenHost {
  /** Follows durable frames only: everything that is read or streamed comes from it. */
  readonly reads: Engine;
  readonly commands: HostCommands;
  readonly durableSeq: () => number;
  readonly note: Host['note'];
  start(): void;
  close(): Promise<void>;
}

export async function openHost({
  partition,
  onProgress,
  receipts,
  log,
  ...options
}: OpenHostOptions): Promise<OpenHost> {
  const host = await Host.open({
    ...options,
    log: partition,
    onProgress: ({ done, total }) => onProgress(`replaying the journal: ${done} of ${total}`),
    onWarning: (message) => log.warn({}, message),
  });
  return {
    reads: host.reads,
    commands: new HostCommands(host, receipts),
    durableSeq: () => host.durableSeq,
    note: (record) => host.note(record),
    start: () => host.start(),
    close: () => host.close(),
  };
}
