// What the service asks of the owner of a market partition, wherever its engine runs, and the host of the other nodes.
import type { Engine, EngineOptions, Trial } from '@presage/engine';
import type { FrameSeal, JournalCorrupt, JournalDatabase } from '@presage/journal';
import type { EngineCommand, EngineEvent, EngineOutput, JournalRecord } from '@presage/protocol';
import type { PartitionLog } from './partition-log.ts';

type WithoutTime<T> = T extends unknown ? Omit<T, 'timeMs'> & { timeMs?: number } : never;
/** A command as the rest of the service gives it: the host stamps the time, into this very object. */
export type HostCommand = WithoutTime<EngineCommand>;

export type PlaceCommand = Extract<HostCommand, { readonly type: 'place-order' }>;

/** What a command came to. */
export interface Decided {
  readonly outputs: readonly EngineOutput[];
  readonly firstSeq: number;
  /** Where it was written; undefined where nothing was. */
  readonly frame: FrameSeal | undefined;
}

/** What a batch came to that is placed whole or not at all. */
export type AtomicOutcome =
  | { readonly outcome: 'placed'; readonly decided: readonly Decided[] }
  | Extract<Trial, { readonly outcome: 'refused' }>;

/** A fact that the engine does not use. */
export type NotedRecord = Exclude<JournalRecord, EngineEvent>;

/** What is asked of the books, over all markets: an engine answers it for its own partition. */
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

/** The turn of an order, or of a batch, among those that are judged at the same time. */
export interface OrderTurn {
  /**
   * The answer of a chain, a hook or a database: others have the turn until it is there. Rejects with `overloaded` if too many orders wait for
   * such answers; what this one has reserved by the time it comes is then given back.
   */
  whileOut<T>(answer: Promise<T>, giveBack?: () => void): Promise<T>;
  /** The answer of another node, which is soon there unless that node is away: others have the turn once it is late, if there is room. */
  whileLate<T>(answer: Promise<T>): Promise<T>;
}

export interface PartitionHost {
  readonly partition: string;
  /** An engine that follows durable frames only: everything that is read or streamed comes from it. */
  readonly reads: Engine;
  /** The sequence that everything answered so far lies at or below. */
  readonly durableSeq: number;
  /** Another node decides: its answer may be late where that node is away. */
  readonly isElsewhere: boolean;
  /** Like `submit`, and says where in the journal the first event was written. */
  run(command: HostCommand): Promise<Decided>;
  /** The same command until it finds nothing more to do, with nothing decided in between: what it comes to in all. */
  runWhole(command: HostCommand): Promise<Decided>;
  /** Places all in one frame, or none and names the first that is refused. */
  runAtomic(commands: readonly PlaceCommand[]): Promise<AtomicOutcome>;
  /** Resolves with what was decided once it is durable; a refusal, once all it was decided behind is durable. */
  submit(command: HostCommand): Promise<readonly EngineOutput[]>;
  /** Many commands, decided one after another and written in one frame; one that is refused does not stop the others. */
  submitAll(commands: readonly HostCommand[]): Promise<readonly EngineOutput[]>;
  /** Into their place among the events, all in one frame; durable when it resolves. */
  note(...records: readonly NotedRecord[]): Promise<void>;
  start(): void;
  close(): Promise<void>;
}

export interface HostOptions {
  readonly log: PartitionLog;
  readonly nowMs: () => number;
  readonly checkpointEvery?: number;
  /** Records between two images of memory at least. */
  readonly imageEvery?: number;
  /** The protocol's settings by default. */
  readonly engine?: EngineOptions;
  /** Called with how long the engine took over each command. */
  readonly onDecided?: (seconds: number) => void;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  readonly onWarning?: (message: string) => void;
}

/** A partition that this node owns, for others to ask. */
export interface OwnedPartition {
  readonly log: PartitionLog;
  /** Present for a partition of markets. */
  readonly host?: PartitionHost;
  /** Throws if a record of another node must not be appended: a token that was used. */
  readonly accept?: (record: JournalRecord) => void;
}

/** A partition that another node owns. */
export interface OthersPartition {
  readonly log: PartitionLog;
  /** Whether the journal of the right database cannot be read here. */
  readonly isCutOff: boolean;
  /** Throws while the database that answers has another history. */
  assertSame(): void;
  /** Shows all that is durable by now, to those who follow it by now. */
  catchUp(): Promise<void>;
  /** Shows new records from now on: every follower that needs all of them has subscribed by then. */
  start(): void;
  /** A host of its markets, which passes commands to the owner. */
  openHost(options: HostOptions): Promise<PartitionHost>;
  close(): void;
}

export interface FollowEvents {
  /** A follower missed a batch, or the journal cannot be read by this program. */
  readonly onFatal: (error: unknown) => void;
  /** The database that answers lacks records that were shown here. Nothing of it is shown, and the right one is looked for. */
  readonly onDiffers?: ((error: JournalCorrupt) => void) | undefined;
  readonly onWarning?: (message: string) => void;
}

/** The other nodes, as far as the journal is concerned. */
export interface OtherNodes {
  readonly database: JournalDatabase;
  /** Whether the roles of this node make it the owner of the partition. */
  owns(partition: string): boolean;
  follow(partition: string, events: FollowEvents): Promise<OthersPartition>;
  /** Others may ask for it from now on. */
  serve(owned: OwnedPartition): void;
}
