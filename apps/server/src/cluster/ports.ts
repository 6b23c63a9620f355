// What the parts of the cluster ask of each other: calls on the owner of a partition, and the handover to its next owner.
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

/** What every call on a partition carries. */
export interface OwnerCall {
  readonly partition: string;
  readonly id: string;
  /** Set for a call that may have been carried out before: the last sequence that the caller had applied when it first asked. */
  readonly retryFromSeq?: number;
}

/** A page of the frames of a partition, from the one on that holds the sequence. */
export interface ReadCall {
  readonly partition: string;
  readonly fromSeq: number;
}

/** Where the records of a partition begin and end. */
export interface PartitionEnds {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Undefined while it is empty. */
  readonly identity?: string | undefined;
  /** Whether its owner can append to it. */
  readonly isWritable: boolean;
}

/** Retries until the call is answered, across moves and losses of the owner; it is never carried out twice. */
export type AskOwner = <T>(asked: Asked) => Promise<T>;

/** The node that a partition was handed to. */
export interface NextOwner {
  /** HTTP address, which is also the node's name. */
  readonly address: string;
  /** Where other nodes call it. */
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

/** What the owner of a partition tells its followers. */
export interface OwnerWatcher {
  /** Its newest sequence. */
  onHead(seq: number): void;
  /** A frame that is durable in the database. */
  onFrame(frame: Frame): void;
}

/** The other nodes, for following a partition that one of them owns. */
export interface FollowedOwners {
  /** The partition as it is read here, from its last durable frame on. */
  openFollowed(partition: string): Promise<FollowedJournal>;
  readonly ask: AskOwner;
  /** Calls back with what the owner tells, until the returned function is called. */
  watch(log: PartitionLog, watcher: OwnerWatcher): () => void;
  /** Whether the connection is up on which the owner announces new sequences. */
  isHeard(partition: string): boolean;
}

/** The same for an engine, which may own it next. */
export interface EngineOwners extends FollowedOwners {
  readonly database: JournalDatabase;
}

export interface Owner {
  readonly node: ClusterNode;
  readonly epoch: number;
}

/** Who is there and who owns what. */
export interface NodeDirectory {
  /** Alive, this one among them, by address. */
  readonly nodes: readonly ClusterNode[];
  readonly leases: readonly LeaseHolder[];
  /** How many nodes answer callers. */
  readonly gatewayCount: number;
  /** HTTP address of the node that acts on chains; undefined while there is none. */
  readonly settler: string | undefined;
  /** Undefined while nobody holds it, or whoever does is not known here. */
  ownerOf(partition: string): Owner | undefined;
  isHeld(partition: string): boolean;
  mayBeFree(partition: string): boolean;
  /** An owner says where it handed a partition to; answers whether that is news. */
  learn(partition: string, next: NextOwner): boolean;
  /** Tells the others that this node lives and what it is. */
  announce(): Promise<void>;
  /** Called after each look. */
  onLook(listener: () => void): void;
  /** Looks now; joins a look that is under way. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}
