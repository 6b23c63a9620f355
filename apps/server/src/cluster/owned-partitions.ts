// Serves the partitions that this node owns to other nodes: each command is carried out once, however often it is sent.
import type { Frame, FrameRef, FrameSeal } from '@presage/journal';
import { ConnectionLost, JournalFenced, JournalMisuse, JournalPoisoned, toFrameSeal } from '@presage/journal';
import type { EngineOutput, JournalRecord } from '@presage/protocol';
import type { HostCommand, NotedRecord, OwnedPartition, PartitionHost, PlaceCommand } from '../host/ports.ts';
import { findAppended, findCancelled, findEvidence } from './evidence.ts';
import type { LinkHandler, LinkPeer } from './link-listener.ts';
import { encodeNews, NotOwner, OutcomeUnknown } from './link-messages.ts';
import type { AtomicOutcomeAt, DecidedAt, NextOwner, OutputsAt, OwnerCall, PartitionEnds, ReadCall } from './ports.ts';

interface RunCall extends OwnerCall {
  readonly command: HostCommand;
}

interface RunAllCall extends OwnerCall {
  readonly commands: readonly HostCommand[];
}

interface RunAtomicCall extends OwnerCall {
  readonly commands: readonly PlaceCommand[];
}

interface AppendCall extends OwnerCall {
  readonly records: readonly JournalRecord[];
}

type PartitionCall = Pick<OwnerCall, 'partition'>;

interface FollowCall {
  readonly partitions: readonly string[];
}

interface Served extends OwnedPartition {
  readonly unfollow: () => void;
  /** Callers that wait while the partition is handed over; set once it is held. */
  held?: (() => void)[];
}

interface UnderWay {
  readonly partition: string;
  readonly answer: Promise<unknown>;
}

/** Largest frame that is pushed to followers; larger ones are rare, and followers fetch them. */
const LARGEST_SENT_BYTES = 1024 * 1024;
/** Size of a page of `read-frames`: it ends with the frame that reaches this. */
const PAGE_BYTES = 1024 * 1024;
/** Limit of a follower's unread bytes; beyond it no frames are pushed to it. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;

export type SignFrame = (frame: FrameSeal) => Uint8Array;

export class OwnedPartitions {
  readonly #sign: SignFrame | undefined;
  readonly #owned = new Map<string, Served>();
  /** Next owners of partitions that this node has handed over, by partition. */
  readonly #next = new Map<string, NextOwner>();
  /** Followers and the partitions that each follows. */
  readonly #peers = new Map<LinkPeer, ReadonlySet<string>>();
  /** Calls in progress, by their id. */
  readonly #underWay = new Map<string, UnderWay>();
  /** Followers that missed frames; they are sent the heads instead. */
  readonly #behind = new Set<LinkPeer>();

  /** With `sign`, frames are signed once, here, and their signatures are sent to the followers with them. */
  constructor(sign?: SignFrame) {
    this.#sign = sign;
  }

  /** Serves a partition to other nodes. */
  add(owned: OwnedPartition): void {
    const { partition } = owned.log;
    this.#next.delete(partition);
    this.#owned.set(partition, { ...owned, unfollow: owned.log.subscribeFrames((frame) => this.#publish(frame)) });
    // Frames that survived a failed write were not pushed to followers.
    owned.log.onReopened(() => this.#announceAll());
    this.#announceAll();
  }

  /** Blocks new commands until the partition is removed; resolves when all earlier ones are answered. */
  async hold(partition: string): Promise<void> {
    const served = this.#owned.get(partition);
    if (served === undefined) return;
    served.held = [];
    const underWay = [...this.#underWay.values()].filter((call) => call.partition === partition);
    await Promise.allSettled(underWay.map(({ answer }) => answer));
  }

  /** Stops serving the partition and sends callers to the next owner, if it is known. */
  remove(partition: string, next?: NextOwner): void {
    const served = this.#owned.get(partition);
    this.#owned.delete(partition);
    if (next !== undefined) this.#next.set(partition, next);
    served?.unfollow();
    for (const wake of served?.held ?? []) wake();
  }

  positions(): Record<string, number> {
    return Object.fromEntries([...this.#owned].map(([partition, { log }]) => [partition, log.lastSeq]));
  }

  handlers(): ReadonlyMap<string, LinkHandler> {
    return new Map<string, LinkHandler>([
      ['ping', () => undefined],
      ['follow', (call: FollowCall, peer) => this.#follow(peer, call)],
      ['run', (call: RunCall) => this.#once(call, (owned, asked) => this.#run(owned, asked))],
      ['run-whole', (call: RunCall) => this.#once(call, (owned, asked) => this.#runWhole(owned, asked))],
      ['run-all', (call: RunAllCall) => this.#once(call, (owned, asked) => this.#runAll(owned, asked))],
      ['run-atomic', (call: RunAtomicCall) => this.#once(call, (owned, asked) => this.#runAtomic(owned, asked))],
      ['describe-partition', ({ partition }: PartitionCall) => this.#describe(partition)],
      ['read-frames', (call: ReadCall) => this.#read(call)],
      ['append', (call: AppendCall) => this.#once(call, (owned, asked) => this.#append(owned, asked))],
    ]);
  }

  /** A repeated call joins the one in progress; `run` looks in the journal for the effects of earlier ones. */
  async #once<C extends OwnerCall, T>(call: C, run: (owned: OwnedPartition, call: C) => Promise<T>): Promise<T> {
    const owned = this.#find(call.partition);
    const first = this.#underWay.get(call.id);
    // The id names one call of one node, so a call in progress with this id has the same type.
    if (first !== undefined) return first.answer as Promise<T>;
    if (owned.held !== undefined) {
      await new Promise<void>((resolve) => owned.held?.push(resolve));
      throw new NotOwner(call.partition, this.#next.get(call.partition));
    }
    const running = run(owned, call)
      .catch((error: unknown) => {
        throw isLostHere(error) ? new OutcomeUnknown(`The partition ${call.partition} was lost here.`) : error;
      })
      .finally(() => this.#underWay.delete(call.id));
    this.#underWay.set(call.id, { partition: call.partition, answer: running });
    return running;
  }

  async #run(owned: OwnedPartition, { command, retryFromSeq }: RunCall): Promise<DecidedAt> {
    const host = hostOf(owned);
    const done = await this.#evidenceOf(owned, command, retryFromSeq);
    if (done !== undefined) return done;
    return { ...(await host.run(command)), durableSeq: host.durableSeq };
  }

  /** A retry cancels what is left; the answer includes what earlier attempts cancelled. */
  async #runWhole(owned: OwnedPartition, { command, retryFromSeq }: RunCall): Promise<DecidedAt> {
    const host = hostOf(owned);
    const done =
      retryFromSeq === undefined
        ? []
        : await findCancelled({ log: owned.log, reads: host.reads }, retryFromSeq + 1, command);
    const decided = await host.runWhole(command);
    return { ...decided, outputs: [...done, ...decided.outputs], durableSeq: host.durableSeq };
  }

  async #runAll(owned: OwnedPartition, { commands, retryFromSeq }: RunAllCall): Promise<OutputsAt> {
    const host = hostOf(owned);
    const [outputs, left]: [EngineOutput[], HostCommand[]] = [[], []];
    for (const command of commands) {
      const done = await this.#evidenceOf(owned, command, retryFromSeq);
      if (done === undefined) left.push(command);
      else outputs.push(...done.outputs);
    }
    outputs.push(...(await host.submitAll(left)));
    return { outputs, durableSeq: host.durableSeq };
  }

  /** Needs no evidence: the engine repeats its first answer to orders that it knows. */
  async #runAtomic(owned: OwnedPartition, { commands }: RunAtomicCall): Promise<AtomicOutcomeAt> {
    const host = hostOf(owned);
    return { ...(await host.runAtomic(commands)), durableSeq: host.durableSeq };
  }

  async #evidenceOf(
    { log }: OwnedPartition,
    command: HostCommand,
    retryFromSeq: number | undefined,
  ): Promise<DecidedAt | undefined> {
    if (retryFromSeq === undefined) return undefined;
    const found = await findEvidence(log, retryFromSeq + 1, command);
    return found && { outputs: found.events, firstSeq: found.firstSeq, frame: undefined, durableSeq: found.lastSeq };
  }

  /** Appends through the host if there is one, since it counts what it has appended. */
  async #append({ log, host, accept }: OwnedPartition, { records, retryFromSeq }: AppendCall): Promise<FrameRef> {
    if (retryFromSeq !== undefined) {
      const done = await findAppended(log, retryFromSeq + 1, records);
      if (done !== undefined) return done;
    }
    for (const record of records) accept?.(record);
    if (host === undefined) return log.append(records);
    // Sent by `note`, whose records are no engine events.
    return host.note(...(records as readonly NotedRecord[]));
  }

  #find(partition: string): Served {
    const owned = this.#owned.get(partition);
    if (owned === undefined) throw new NotOwner(partition, this.#next.get(partition));
    return owned;
  }

  #describe(partition: string): PartitionEnds {
    const { log } = this.#find(partition);
    return { firstSeq: log.firstSeq, lastSeq: log.lastSeq, identity: log.identity, isWritable: isWritable(log) };
  }

  /** Page of durable frames for a follower without a database; empty if there are none from the sequence on. */
  async #read({ partition, fromSeq }: ReadCall): Promise<readonly Frame[]> {
    const { log } = this.#find(partition);
    const page: Frame[] = [];
    let bytes = 0;
    for await (const frame of log.readFrames(fromSeq)) {
      page.push(frame);
      bytes += sizeOf(frame);
      if (bytes >= PAGE_BYTES) break;
    }
    return page;
  }

  /** Registers a follower; called again when it follows other partitions. */
  #follow(peer: LinkPeer, { partitions }: FollowCall): void {
    if (!this.#peers.has(peer)) {
      peer.onClosed(() => {
        this.#peers.delete(peer);
        this.#behind.delete(peer);
      });
    }
    this.#peers.set(peer, new Set(partitions));
    this.#tellHeads(peer);
  }

  /** Pushes a durable frame before its commands are answered, so that a follower gets the frame before its answers. */
  #publish(frame: Frame): void {
    const peers = [...this.#peers].filter(([, partitions]) => partitions.has(frame.partition));
    if (peers.length === 0) return;
    const isSent = sizeOf(frame) <= LARGEST_SENT_BYTES;
    const news = isSent
      ? encodeNews('frame', { ...frame, signature: this.#sign?.(toFrameSeal(frame)) }).slice()
      : undefined;
    for (const [peer] of peers) this.#send(peer, news);
  }

  /** A follower that reads too slowly is sent nothing until it has caught up; it then fetches the frames that it missed. */
  #send(peer: LinkPeer, frame: Uint8Array | undefined): void {
    if (peer.backlogBytes() > MOST_UNREAD_BYTES) this.#behind.add(peer);
    else if (this.#behind.delete(peer) || frame === undefined) this.#tellHeads(peer);
    else peer.tell(frame);
  }

  #announceAll(): void {
    for (const peer of this.#peers.keys()) this.#tellHeads(peer);
  }

  #tellHeads(peer: LinkPeer): void {
    peer.tell(encodeNews('heads', this.positions()));
  }
}

function isWritable(log: OwnedPartition['log']): boolean {
  try {
    log.assertWritable();
    return true;
  } catch {
    return false;
  }
}

function sizeOf({ records }: Frame): number {
  return records.reduce((sum, { length }) => sum + length, 0);
}

function hostOf({ host, log }: OwnedPartition): PartitionHost {
  if (host === undefined) throw new Error(`${log.partition} is no partition of markets`);
  return host;
}

/** Whether the journal was taken over, closed or lost while the command ran: the next owner finds its records, or they were never written. */
function isLostHere(error: unknown): boolean {
  return [JournalFenced, JournalPoisoned, JournalMisuse, ConnectionLost].some((kind) => error instanceof kind);
}
