// Follows a partition that another node owns: takes the frames that its owner sends, and reads missing ones from the database.
import { ConnectionLost, type FollowedJournal, type Frame, JournalCorrupt } from '@presage/journal';
import { PresageError } from '@presage/protocol';
import { type PollResult, PollTimer } from '@presage/runtime';
import { PartitionLog } from '../host/partition-log.ts';
import type { FollowEvents, HostOptions, OthersPartition } from '../host/ports.ts';
import type { AskOwner, FollowedOwners } from './ports.ts';
import { forwardTo, RemoteHost } from './remote-host.ts';

export interface FollowedPartitionOptions extends FollowEvents {
  readonly partition: string;
  readonly owners: FollowedOwners;
  /** The journal of this partition, if it is open already. */
  readonly journal?: FollowedJournal;
}

const POLL_MS = 20;
/** Polling interval while the owner is not connected. */
const UNHEARD_MS = 200;
/** Polling interval while the owner is connected: it sends frames sooner, and a dead connection is noticed within two seconds. */
const HEARD_MS = 1_000;
const LONGEST_MS = 1_000;
/** Timeout of `catchUp`. Many polls have failed by then; the caller starts over. */
const CATCH_UP_MS = 10_000;
/** Age of the last successful poll at which this node counts as cut off. Several polls have failed by then. */
const CUT_OFF_MS = 5_000;

export class FollowedPartition implements OthersPartition {
  readonly log: PartitionLog;
  readonly #journal: FollowedJournal;
  readonly #timer: PollTimer;
  readonly #options: FollowedPartitionOptions;
  #unwatch: () => void = () => undefined;
  #stepping: Promise<unknown> = Promise.resolve();
  /** When the database last answered a poll; polling begins with `start`. */
  #lookedMs = Number.POSITIVE_INFINITY;
  #differs: JournalCorrupt | undefined;

  private constructor(journal: FollowedJournal, log: PartitionLog, options: FollowedPartitionOptions) {
    const { partition, owners } = options;
    this.#journal = journal;
    this.log = log;
    this.#options = options;
    const step = () => {
      const stepping = this.#step();
      this.#stepping = stepping.catch(() => undefined);
      return stepping;
    };
    const idleMs = () => (owners.isHeard(partition) ? HEARD_MS : UNHEARD_MS);
    this.#timer = new PollTimer({ pollMs: POLL_MS, idleMs, longestMs: LONGEST_MS, step });
  }

  static async open(options: FollowedPartitionOptions): Promise<FollowedPartition> {
    const { partition, owners, onFatal } = options;
    const journal = options.journal ?? (await owners.openFollowed(partition));
    const forward = forwardTo(
      partition,
      (asked) => followed.ask(asked),
      () => followed.log,
    );
    const log = await PartitionLog.follow({ journal, forward, onFatal });
    const followed = new FollowedPartition(journal, log, options);
    followed.#unwatch = owners.watch(log, {
      onHead: (seq) => followed.wake(seq),
      onFrame: (frame) => followed.#take(frame),
    });
    return followed;
  }

  /** Rejects while the journal cannot be read here, since this node could not show the outcome to the caller. */
  readonly ask: AskOwner = async (asked) => {
    if (this.isCutOff) throw new PresageError('partition_unavailable');
    return this.#options.owners.ask(asked);
  };

  get isCutOff(): boolean {
    return this.#differs !== undefined || performance.now() - this.#lookedMs > CUT_OFF_MS;
  }

  assertSame(): void {
    if (this.#differs !== undefined) throw this.#differs;
  }

  start(): void {
    this.#lookedMs = performance.now();
    this.#timer.start();
  }

  /** Shows all records that are durable by now. Before `start` nothing else advances the journal. */
  async catchUp(): Promise<void> {
    const end = await this.#journal.readEnd();
    if (this.#lookedMs === Number.POSITIVE_INFINITY) while (this.log.lastSeq < end) await this.#journal.advance();
    else {
      this.wake(end);
      if (!(await this.log.reachedWithin(end, CATCH_UP_MS))) throw new ConnectionLost('its records could not be read');
    }
  }

  openHost(options: HostOptions): Promise<RemoteHost> {
    return RemoteHost.open({ ...options, ask: this.ask, onStart: () => this.start() });
  }

  /** Polls at once if the owner is ahead. */
  wake(seq: number): void {
    if (seq > this.#journal.lastSeq) this.#timer.wake();
  }

  /** Shows a frame of the owner. One behind a gap, or with another predecessor than was seen, is read from the database. */
  #take(frame: Frame): void {
    const isFollowing = this.#lookedMs !== Number.POSITIVE_INFINITY && this.#differs === undefined;
    if (!isFollowing || !this.#offer(frame)) this.wake(frame.lastSeq);
  }

  /** A frame that cannot be shown is fatal, as when it was read from the database: the next one would be shown without it. */
  #offer(frame: Frame): boolean {
    try {
      return this.#journal.offer(frame);
    } catch (error) {
      this.#options.onFatal(error);
      throw error;
    }
  }

  /** Closes when all records up to `seq` were shown, or after the timeout. Resolves with whether they were, once reading has ended. */
  async finish(seq: number, withinMs: number): Promise<boolean> {
    this.wake(seq);
    const isReached = await this.log.reachedWithin(seq, withinMs);
    this.close();
    await this.#stepping;
    return isReached;
  }

  close(): void {
    this.#timer.close();
    this.#unwatch();
  }

  async #step(): Promise<PollResult> {
    try {
      const found = await this.#journal.advance();
      this.#lookedMs = performance.now();
      this.#onSame();
      if (found === 'none') return 'idle';
      return found === 'more' ? 'more' : 'busy';
    } catch (error) {
      if (error instanceof JournalCorrupt) this.#onOther(error);
      else if (!(error instanceof ConnectionLost)) {
        this.#options.onFatal(error);
        throw error;
      }
      return 'failed';
    }
  }

  #onOther(error: JournalCorrupt): void {
    if (this.#differs !== undefined) return;
    const { partition, onWarning, onDiffers } = this.#options;
    this.#differs = error;
    onWarning?.(`standing by: the journal's database has another history of ${partition}: ${error.reason}`);
    onDiffers?.(error);
  }

  #onSame(): void {
    if (this.#differs === undefined) return;
    this.#differs = undefined;
    this.#options.onWarning?.(`the journal's database has the history of ${this.#options.partition} again`);
  }
}
