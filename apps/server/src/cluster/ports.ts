// Interfaces between the parts of the cluster: calls on the owner of a partition, and the handover to its next owner.
import type { ClusterNode, FollowedJournal, Frame, JournalDatabase, LeaseHolder } from '@presage/journal';
import type { EngineOutput } from '@presage/protocol';
import type { PartitionLog } from '../host/partition-log.ts';
import type { AtomicOutcome, Decided } from '../host/ports.ts';

interface AppliedAnswer {
  /** Sequence that the calling node must have applied before it answers anybody. */
  readonly durableSeq: number;
}

export type DecidedAt = Decided & AppliedAnswer;

export type AtomicOutcomeAt = AtomicOutcome & AppliedAnswer;

export interface OutputsAt extends AppliedAnswer {
  readonly outputs: readonly EngineOutput[];
}

/** A call on the owner of a partition. */
export interface Asked {
  readonly partition: string;
  readonly method: 'run' | 'run-whole' | 'run-all' | 'run-atomic' | 'append';
  readonly body: object;
  /** Last sequence applied by the caller: records of this call can only follow it. Absent for calls that may be executed twice: a retry searches for no earlier execution. */
  readonly appliedSeq?: number;
}

/** Fields that every call on a partition carries. */
export interface OwnerCall {
  readonly partition: string;
  readonly id: string;
  /** Set for a call that may have been carried out already: the last sequence that the caller had applied at its first attempt. */
  readonly retryFromSeq?: number;
}

/** Request for a page of frames of a partition, starting with the one that holds `fromSeq`. */
export interface ReadCall {
  readonly partition: string;
  readonly fromSeq: number;
}

/** First and last record of a partition. */
export interface PartitionEnds {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Undefined while the partition is empty. */
  readonly identity?: string | undefined;
  /** Whether the owner can append to the partition. */
  readonly isWritable: boolean;
}

/** Retries until the call is answered, across moves and losses of the owner; it is never carried out twice. */
export type AskOwner = <T>(asked: Asked) => Promise<T>;

/** The node that a partition was handed to. */
export interface NextOwner {
  /** HTTP address, which is also the node's name. */
  readonly address: string;
  /** Address that other nodes connect to. */
  readonly linkAddress: string;
  readonly epoch: number;
}

/** The work on an owned partition; created while another node may still own it. */
export interface Tenant {
  /** Starts deciding on this node. */
  start(): void;
  /** Blocks new calls; resolves when all accepted ones are durable. */
  drain(): Promise<void>;
  /** Sends blocked callers to the next owner. Without one, leaves a checkpoint for whichever node takes over. */
  close(next?: NextOwner): Promise<void>;
}

/** Callbacks for what the owner of a partition tells its followers. */
export interface OwnerWatcher {
  /** The owner's last durable sequence. */
  onHead(seq: number): void;
  /** A frame that is durable in the database. */
  onFrame(frame: Frame): void;
}

/** Access to the other nodes for a follower of a partition. */
export interface FollowedOwners {
  /** Opens the partition for reading, from its last durable frame on. */
  openFollowed(partition: string): Promise<FollowedJournal>;
  readonly ask: AskOwner;
  /** Calls the watcher until the returned function is called. */
  watch(log: PartitionLog, watcher: OwnerWatcher): () => void;
  /** Whether the connection to the owner, which announces new sequences, is up. */
  isHeard(partition: string): boolean;
}

/** Access to the other nodes for an engine, which may own the partition next. */
export interface EngineOwners extends FollowedOwners {
  readonly database: JournalDatabase;
}

export interface Owner {
  readonly node: ClusterNode;
  readonly epoch: number;
}

/** Living nodes and owners of partitions. */
export interface NodeDirectory {
  /** Living nodes, including this one, by address. */
  readonly nodes: readonly ClusterNode[];
  readonly leases: readonly LeaseHolder[];
  /** Number of nodes that answer callers. */
  readonly gatewayCount: number;
  /** HTTP address of the node that acts on chains; undefined while there is none. */
  readonly settler: string | undefined;
  /** Undefined while nobody holds the partition, or its holder is not a known node. */
  ownerOf(partition: string): Owner | undefined;
  isHeld(partition: string): boolean;
  mayBeFree(partition: string): boolean;
  /** Records where an owner handed a partition to; returns whether that is new. */
  learn(partition: string, next: NextOwner): boolean;
  /** Tells the others that this node lives and what it is. */
  announce(): Promise<void>;
  /** Calls the listener after each refresh. */
  onLook(listener: () => void): void;
  /** Reads nodes and leases now; joins a read in progress. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}
