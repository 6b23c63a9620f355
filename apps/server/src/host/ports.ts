// Interfaces to the owner of a market partition, wherever its engine runs, and to the other nodes.
import type { Engine, EngineOptions, Trial } from '@presage/engine';
import type { FrameRef, FrameSeal, JournalCorrupt, JournalDatabase } from '@presage/journal';
import type { EngineCommand, EngineEvent, EngineOutput, JournalRecord } from '@presage/protocol';
import type { PartitionLog } from './partition-log.ts';

type WithoutTime<T> = T extends unknown ? Omit<T, 'timeMs'> & { timeMs?: number } : never;
/** A command without its time, which the host stamps into this very object. */
export type HostCommand = WithoutTime<EngineCommand>;

export type PlaceCommand = Extract<HostCommand, { readonly type: 'place-order' }>;

/** Result of a command. */
export interface Decided {
  readonly outputs: readonly EngineOutput[];
  readonly firstSeq: number;
  /** Frame that holds the events; undefined if nothing was written. */
  readonly frame: FrameSeal | undefined;
}

/** Result of a batch that is placed whole or not at all. */
export type AtomicOutcome =
  | { readonly outcome: 'placed'; readonly decided: readonly Decided[] }
  | Extract<Trial, { readonly outcome: 'refused' }>;

/** A fact that the engine does not use. */
export type NotedRecord = Exclude<JournalRecord, EngineEvent>;

/** Queries over all markets; an engine answers them for its own partition. */
export type MarketReads = Pick<
  Engine,
  | 'facts'
  | 'market'
  | 'marketCount'
  | 'markets'
  | 'activeMarkets'
  | 'retiredMarkets'
  | 'retired'
  | 'retiredTotals'
  | 'marketsNamed'
  | 'order'
  | 'firstAnswer'
  | 'openOrders'
  | 'trade'
  | 'unsettledTrades'
  | 'unsettledBriefs'
  | 'preview'
  | 'levels'
  | 'levelSize'
  | 'bestPrice'
  | 'bookHash'
>;

/** Slot of an order, or of a batch, among those that are judged at the same time. */
export interface OrderTurn {
  /**
   * Lends the turn to others while waiting for a chain, a hook or a database. Rejects with `overloaded` if too many orders wait for such
   * answers; `giveBack` is then called when the answer comes, to release what the order has reserved.
   */
  whileOut<T>(answer: Promise<T>, giveBack?: () => void): Promise<T>;
  /** Waits for another node, which usually answers soon. Lends the turn to others once the answer is late, if there is room. */
  whileLate<T>(answer: Promise<T>): Promise<T>;
}

export interface PartitionHost {
  readonly partition: string;
  /** Engine that follows durable frames only, used for all queries and streams. */
  readonly reads: Engine;
  /** Sequence that everything answered so far lies at or below. */
  readonly durableSeq: number;
  /** Whether another node decides; its answer is late while that node is unreachable. */
  readonly isElsewhere: boolean;
  /** Like `submit`, but also returns where in the journal the first event was written. */
  run(command: HostCommand): Promise<Decided>;
  /** Repeats the command until nothing is left to do, with nothing decided in between; returns the combined result. */
  runWhole(command: HostCommand): Promise<Decided>;
  /** Places all orders in one frame, or none and names the first that is refused. */
  runAtomic(commands: readonly PlaceCommand[]): Promise<AtomicOutcome>;
  /** Resolves with the outputs once they are durable; with a refusal, once everything decided before it is durable. */
  submit(command: HostCommand): Promise<readonly EngineOutput[]>;
  /** Decides commands one after another and writes them in one frame; a refused one does not stop the others. */
  submitAll(commands: readonly HostCommand[]): Promise<readonly EngineOutput[]>;
  /** Appends records among the events, all in one frame; resolves with their place when they are durable. */
  note(...records: readonly NotedRecord[]): Promise<FrameRef>;
  start(): void;
  close(): Promise<void>;
}

export interface HostOptions {
  readonly log: PartitionLog;
  readonly nowMs: () => number;
  readonly checkpointEvery?: number;
  /** Least number of records between two images of memory. */
  readonly imageEvery?: number;
  /** Default: the protocol's settings. */
  readonly engine?: EngineOptions;
  /** Called with the time that the engine took for each command. */
  readonly onDecided?: (seconds: number) => void;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  readonly onWarning?: (message: string) => void;
}

/** A partition that this node owns and serves to other nodes. */
export interface OwnedPartition {
  readonly log: PartitionLog;
  /** Set for a partition of markets. */
  readonly host?: PartitionHost;
  /** Throws if a record of another node must not be appended, such as a token that was used. */
  readonly accept?: (record: JournalRecord) => void;
}

/** A partition that another node owns. */
export interface OthersPartition {
  readonly log: PartitionLog;
  /** Whether this node cannot read the journal of the right database. */
  readonly isCutOff: boolean;
  /** Throws while the database that answers has another history. */
  assertSame(): void;
  /** Shows all records that are durable by now to the current subscribers. */
  catchUp(): Promise<void>;
  /** Starts showing new records; every follower that needs all of them must have subscribed. */
  start(): void;
  /** Opens a host of its markets that passes commands to the owner. */
  openHost(options: HostOptions): Promise<PartitionHost>;
  close(): void;
}

export interface FollowEvents {
  /** Called when a follower missed a batch, or this program cannot read the journal. */
  readonly onFatal: (error: unknown) => void;
  /** Called when the database that answers lacks records that were shown here. Nothing of it is shown, and polling continues until the right one answers. */
  readonly onDiffers?: ((error: JournalCorrupt) => void) | undefined;
  readonly onWarning?: (message: string) => void;
}

/** Access of the journal to the other nodes. */
export interface OtherNodes {
  readonly database: JournalDatabase;
  /** Whether the roles of this node make it the owner of the partition. */
  owns(partition: string): boolean;
  follow(partition: string, events: FollowEvents): Promise<OthersPartition>;
  /** Serves the partition to other nodes. */
  serve(owned: OwnedPartition): void;
}
