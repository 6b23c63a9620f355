// Opens the journal, the dead-man switches and the host.

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
  /** Called for a frame of the markets when it is being written. */
  readonly onSealed: (frame: FrameSeal) => void;
}

export type Journal = Awaited<ReturnType<typeof openJournal>>;
export type KeepState = Journal['keepState'];

/** Opens the control partition (keys, tokens, switches, clock) and the partitions of markets (orders, trades). */
export async function openJournal({ onSealed, ...options }: OpenJournalOptions) {
  const { config, others: nodes, onProgress, nowMs, signal } = options;
  const partitions = await Partitions.connect(options);
  // All archives are kept until the views report their positions.
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
      /** Appends records to the control partition in one frame; resolves when they are durable and followed. */
      note: async (...records: readonly JournalRecord[]) => void (await control.append(records)),
      /** Passes the state of the control partition to the followers, then each new record. */
      followControl: (followers: readonly RecordFollower[]) => {
        followRecords(control, fold.records(), followers);
        const accept = (record: JournalRecord) => {
          for (const follower of followers) follower.accept?.(record);
        };
        if (nodes?.owns('control')) nodes.serve({ log: control, accept });
      },
      /** Passes each new record of the markets to the followers. */
      followMarkets: (followers: readonly RecordFollower[]) => {
        for (const log of markets) followRecords(log, [], followers);
      },
      /** Last applied sequences of the partitions that writes are answered from. */
      positions: () => Object.fromEntries([control, ...markets].map((log) => [log.partition, log.lastSeq])),
      /** Whether the partition reached the sequence within the timeout. */
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

/** First sequences that consumers other than a start of the host still need, per market partition and for the audit log: archives from there on are kept. */
interface NeededRecords {
  readonly markets: (index: number) => number;
  readonly control: () => number;
}

/** Opens all partitions but the first. Those of other nodes are opened in parallel: each makes several calls to a shared journal, which may be far away. */
async function openOthers<T>(count: number, open: (index: number) => Promise<T>, isFollowed: boolean): Promise<T[]> {
  const indexes = Array.from({ length: count - 1 }, (_, index) => index + 1);
  if (isFollowed) return Promise.all(indexes.map(open));
  const opened: T[] = [];
  for (const index of indexes) opened.push(await open(index));
  return opened;
}

/** Pause between attempts; the attempt itself takes longer if there is an engine. */
const OWNER_LOOK_MS = 200;

/** Waits for an owner of the control partition, since nodes start in any order. */
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
  /** Called with progress to show to the user who waits. */
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
  // A journal has at least one partition of markets.
  return new MarketHosts(opened as [PartitionHost, ...PartitionHost[]], receipts);
}
