// Opens the journal, the dead-man switches and the host: everything that decides and remembers.

import type { FrameSeal } from '@presage/journal';
import { type JournalRecord, marketPartitionName, PresageError } from '@presage/protocol';
import { type Shutdown, sleep } from '@presage/runtime';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { ControlState } from './control-state.ts';
import { DiskSpace } from './disk-space.ts';
import { followRecords, type RecordFollower } from './follow-records.ts';
import type { ReceiptPort } from './host-commands.ts';
import { JournalFaults } from './journal-faults.ts';
import { MarketHosts } from './market-hosts.ts';
import { agreePartitionCount } from './partition-count.ts';
import type { PartitionLog } from './partition-log.ts';
import { Partitions, type PartitionsOptions } from './partitions.ts';
import type { HostOptions, PartitionHost } from './ports.ts';

export { openSwitches } from './dead-man-switches.ts';
export { JournalFaults };

/** Watches the disk of the journal until the shutdown. */
export async function watchDisk(dir: string, log: Log, faults: JournalFaults, shutdown: Shutdown): Promise<void> {
  const disk = new DiskSpace(dir, log, faults);
  shutdown.add('disk', () => disk.close());
  await disk.look();
  disk.start();
}

export interface OpenJournalOptions extends PartitionsOptions {
  readonly config: PartitionsOptions['config'] & Pick<Config, 'partitions'>;
  /** A frame of the markets is on its way to the disk. */
  readonly onSealed: (frame: FrameSeal) => void;
}

export type Journal = Awaited<ReturnType<typeof openJournal>>;
export type KeepState = Journal['keepState'];

/** Keys, tokens, switches and clock are in the control partition, orders and trades in those of the markets. */
export async function openJournal({ onSealed, ...options }: OpenJournalOptions) {
  const { config, others: nodes, onProgress, nowMs, signal } = options;
  const partitions = await Partitions.connect(options);
  // Until the views say how far they are, all of it is needed.
  let needed: NeededRecords = { markets: () => 1, control: () => 1 };
  const openMarkets = (index: number) =>
    partitions.open(marketPartitionName(index), 'refuse', { onSealed, neededFromSeq: () => needed.markets(index) });
  try {
    const control = await partitions.open('control', 'refuse', { neededFromSeq: () => needed.control() });
    const { fold } = await partitions.keepState(control, () => new ControlState());
    const first = await openMarkets(0);
    const agree = () => agreePartitionCount({ wanted: config.partitions, fold, control, first, nowMs });
    await untilOwned(agree, onProgress, signal);
    const markets = [
      first,
      ...(await openOthers(config.partitions, openMarkets, nodes?.owns(first.partition) === false)),
    ];
    return {
      ...partitions,
      /** m0 first. */
      markets,
      control,
      openChain: async (chainId: number) => {
        const log = await partitions.open(`chain-${chainId}`, 'wait');
        if (nodes?.owns(log.partition)) nodes.serve({ log });
        return log;
      },
      /** Into the control partition, all in one frame; durable, and followed, when it resolves. */
      note: async (...records: readonly JournalRecord[]) => void (await control.append(records)),
      /** Shows the followers what the control partition says; from then on they see each new record. */
      followControl: (followers: readonly RecordFollower[]) => {
        followRecords(control, fold.records(), followers);
        const accept = (record: JournalRecord) => {
          for (const follower of followers) follower.accept?.(record);
        };
        if (nodes?.owns('control')) nodes.serve({ log: control, accept });
      },
      /** From now on the followers see each new record of the markets. */
      followMarkets: (followers: readonly RecordFollower[]) => {
        for (const log of markets) followRecords(log, [], followers);
      },
      /** How far this node has applied what writes are answered from. */
      positions: () => Object.fromEntries([control, ...markets].map((log) => [log.partition, log.lastSeq])),
      /** Whether it got there in time. */
      reached: async (partition: string, seq: number, withinMs: number) => {
        const log = [control, ...markets].find((each) => each.partition === partition);
        return (await log?.reachedWithin(seq, withinMs)) === true;
      },
      keepFor: (consumers: NeededRecords) => {
        needed = consumers;
      },
    };
  } catch (error) {
    await partitions.close();
    throw error;
  }
}

/** Records from there on are needed by others than a start of the host, in each market partition and for the audit log: their archives are not deleted. */
interface NeededRecords {
  readonly markets: (index: number) => number;
  readonly control: () => number;
}

/** All but the first. Those of other nodes side by side: each asks a shared journal several times, which may be far away. */
async function openOthers<T>(count: number, open: (index: number) => Promise<T>, isFollowed: boolean): Promise<T[]> {
  const indexes = Array.from({ length: count - 1 }, (_, index) => index + 1);
  if (isFollowed) return Promise.all(indexes.map(open));
  const opened: T[] = [];
  for (const index of indexes) opened.push(await open(index));
  return opened;
}

/** Asking takes longer where there is an engine to be found at all. */
const OWNER_LOOK_MS = 200;

/** Nodes start in any order: one that finds nobody who decides waits for it. */
async function untilOwned(
  ask: () => Promise<void>,
  onProgress: (step: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PresageError) || error.code !== 'partition_unavailable') throw error;
      onProgress('waiting for an engine to take the control partition');
      await sleep(OWNER_LOOK_MS, signal);
    }
  }
}

export type OpenHost = MarketHosts;

export interface OpenHostOptions extends Pick<HostOptions, 'nowMs' | 'onDecided' | 'checkpointEvery'> {
  readonly journal: Pick<Journal, 'markets' | 'openHost'>;
  /** A step worth showing to the person who waits. */
  readonly onProgress: (step: string) => void;
  readonly receipts: ReceiptPort;
  readonly log: Log;
}

export async function openHost({
  journal,
  receipts,
  onProgress,
  log,
  ...options
}: OpenHostOptions): Promise<MarketHosts> {
  const open = (partition: PartitionLog) =>
    journal.openHost({
      ...options,
      log: partition,
      onProgress: ({ done, total }) => onProgress(`replaying the journal: ${done} of ${total}`),
      onWarning: (message) => log.warn({}, message),
    });
  const opened = await Promise.all(journal.markets.map(open));
  // A journal has one partition of markets at least.
  return new MarketHosts(opened as [PartitionHost, ...PartitionHost[]], receipts);
}
