// What the rest of the service asks of the owner of one market partition, wherever its engine runs.
import type { Engine } from '@presage/engine';
import type { FrameSeal, JournalDatabase } from '@presage/journal';
import type { EngineCommand, EngineEvent, EngineOutput, JournalRecord } from '@presage/protocol';
import type { PartitionLog } from './partition-log.ts';

type WithoutTime<T> = T extends unknown ? Omit<T, 'timeMs'> & { timeMs?: number } : never;
/** A command as the rest of the service gives it: the host stamps the time, into this very object. */
export type HostCommand = WithoutTime<EngineCommand>;

/** What a command came to. */
export interface Decided {
  readonly outputs: readonly EngineOutput[];
  readonly firstSeq: number;
  /** Where it was written; undefined where nothing was. */
  readonly frame: FrameSeal | undefined;
}

/** A fact that the engine does not use. */
export type NotedRecord = Exclude<JournalRecord, EngineEvent>;

/** What is asked of the books, over all markets: an engine answers it for its own partition. */
export type MarketReads = Pick<
  Engine,
  | 'facts'
  | 'market'
  | 'marketCount'
  | 'markets'
  | 'order'
  | 'firstAnswer'
  | 'openOrders'
  | 'trade'
  | 'unsettledTrades'
  | 'preview'
  | 'levels'
  | 'levelSize'
  | 'bestPrice'
  | 'bookHash'
>;

export interface PartitionHost {
  readonly partition: string;
  /** An engine that follows durable frames only: everything that is read or streamed comes from it. */
  readonly reads: Engine;
  /** The sequence that everything answered so far lies at or below. */
  readonly durableSeq: number;
  /** As `submit`, with the place in the journal that the first of the events got. */
  run(command: HostCommand): Promise<Decided>;
  /** The same command until it finds nothing more to do, with nothing decided in between: what it comes to in all. */
  runWhole(command: HostCommand): Promise<Decided>;
  /** Resolves with what was decided once it is durable; a refusal, once all it was decided behind is durable. */
  submit(command: HostCommand): Promise<readonly EngineOutput[]>;
  /** Many commands, decided one after another; one that is refused does not stop the others. */
  submitAll(commands: readonly HostCommand[]): Promise<readonly EngineOutput[]>;
  /** Into its place among the events; durable when it resolves. */
  note(record: NotedRecord): Promise<void>;
  start(): void;
  close(): Promise<void>;
}

/** What the node that asks must have applied before it answers anybody. */
interface AppliedAnswer {
  readonly durableSeq: number;
}

export type DecidedAt = Decided & AppliedAnswer;

export interface OutputsAt extends AppliedAnswer {
  readonly outputs: readonly EngineOutput[];
}

/** Something to ask of the owner of a partition. */
export interface Asked {
  readonly partition: string;
  readonly method: 'run' | 'run-whole' | 'run-all' | 'append';
  readonly body: object;
  /** How much of the partition is known here: what was asked for can only stand behind it. */
  readonly appliedSeq: number;
}

/** Asks until it is answered, over moves and losses of the owner; never done twice. */
export type AskOwner = <T>(asked: Asked) => Promise<T>;

/** Where a partition was handed to. */
export interface NextOwner {
  /** Where it answers HTTP: its name. */
  readonly address: string;
  /** Where other nodes call it. */
  readonly linkAddress: string;
  readonly epoch: number;
}

/** What is done with a partition while it is owned; made while it may still be another node's. */
export interface Tenant {
  /** From now on it is decided here. */
  start(): void;
  /** Whoever asks from now on waits; what was taken is durable when it resolves. */
  drain(): Promise<void>;
  /** Whoever waits is sent to the next owner. Where there is none, a checkpoint is left for whoever takes it. */
  close(next?: NextOwner): Promise<void>;
}

/** A partition that this node owns, for others to ask. */
export interface OwnedPartition {
  readonly log: PartitionLog;
  /** Of a partition of markets. */
  readonly host?: PartitionHost;
  /** Throws where a record of another node must not be appended: a token that was used. */
  readonly accept?: (record: JournalRecord) => void;
}

/** The other nodes, as far as following a partition of theirs is concerned. */
export interface FollowedOwners {
  readonly database: JournalDatabase;
  readonly ask: AskOwner;
  /** Calls back when the owner says how far it is, until the returned function is called. */
  watch(log: PartitionLog, onHead: (seq: number) => void): () => void;
  /** Whether the connection stands on which the owner would say so. */
  isHeard(partition: string): boolean;
}

/** The other nodes, as far as the journal is concerned. */
export interface OtherOwners extends FollowedOwners {
  /** Whether this node is to own it, by its roles. */
  owns(partition: string): boolean;
  /** Others may ask for it from now on. */
  serve(owned: OwnedPartition): void;
}
