// Keeps a partition that another node owns up with the database: at once when its owner says so, by looking again otherwise.
import { ConnectionLost, FollowedJournal, JournalCorrupt } from '@presage/journal';
import { PresageError } from '@presage/protocol';
import { type PollResult, PollTimer } from '@presage/runtime';
import { PartitionLog } from './partition-log.ts';
import type { AskOwner, FollowedOwners } from './ports.ts';
import { forwardTo } from './remote-host.ts';

export interface FollowedPartitionOptions {
  readonly partition: string;
  readonly owners: FollowedOwners;
  /** Of this partition, where it is opened already. */
  readonly journal?: FollowedJournal;
  /** A follower missed a batch, or the journal cannot be read by this program. */
  readonly onFatal: (error: unknown) => void;
  /** The database that answers has not what was shown here. Nothing of it is shown, and it is looked for again. */
  readonly onDiffers?: (error: JournalCorrupt) => void;
  readonly onWarning?: (message: string) => void;
}

const POLL_MS = 20;
/** While the owner cannot be reached. */
const UNHEARD_MS = 200;
/** The owner's word comes sooner; a connection that only seems to stand is noticed in two seconds. */
const HEARD_MS = 1_000;
const LONGEST_MS = 1_000;
/** Several looks have failed by then: what another node writes is not seen here. */
const CUT_OFF_MS = 5_000;

export class FollowedPartition {
  readonly log: PartitionLog;
  readonly #journal: FollowedJournal;
  readonly #timer: PollTimer;
  readonly #options: FollowedPartitionOptions;
  #unwatch: () => void = () => undefined;
  #stepping: Promise<unknown> = Promise.resolve();
  /** When the database answered last; nobody has looked before the start. */
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
    const journal = options.journal ?? (await FollowedJournal.open({ database: owners.database, partition }));
    const forward = forwardTo({ partition, ask: (asked) => followed.ask(asked), log: () => followed.log });
    const log = await PartitionLog.follow({ journal, forward, onFatal });
    const followed = new FollowedPartition(journal, log, options);
    followed.#unwatch = owners.watch(log, (seq) => followed.wake(seq));
    return followed;
  }

  /** What was asked for while the journal is not seen here could not be shown to whoever asked. */
  readonly ask: AskOwner = async (asked) => {
    if (this.isCutOff) throw new PresageError('partition_unavailable');
    return this.#options.owners.ask(asked);
  };

  /** Whether the journal of the right database is not seen here. */
  get isCutOff(): boolean {
    return this.#differs !== undefined || performance.now() - this.#lookedMs > CUT_OFF_MS;
  }

  /** Throws while the database that answers has another history. */
  assertSame(): void {
    if (this.#differs !== undefined) throw this.#differs;
  }

  /** Nothing new is shown before: whoever needs all of it has subscribed by then. */
  start(): void {
    this.#lookedMs = performance.now();
    this.#timer.start();
  }

  /** There is something new up to there. */
  wake(seq: number): void {
    if (seq > this.#journal.lastSeq) this.#timer.wake();
  }

  /** Ends when it has shown all up to there, with whether it has within the time: nothing is read any more when it resolves. */
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
