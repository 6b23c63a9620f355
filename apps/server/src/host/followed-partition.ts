// Keeps a partition that another node owns up with the database: at once when its owner says so, by looking again otherwise.
import { ConnectionLost, FollowedJournal } from '@presage/journal';
import { type PollResult, PollTimer } from '@presage/runtime';
import { PartitionLog } from './partition-log.ts';
import type { FollowedOwners } from './ports.ts';
import { forwardTo } from './remote-host.ts';

export interface FollowedPartitionOptions {
  readonly partition: string;
  readonly owners: FollowedOwners;
  /** Of this partition, where it is opened already. */
  readonly journal?: FollowedJournal;
  /** What was shown is not in the database any more, or cannot be read. */
  readonly onFatal: (error: unknown) => void;
}

const POLL_MS = 20;
/** While the owner cannot be reached. */
const UNHEARD_MS = 200;
/** The owner's word comes sooner; a connection that only seems to stand is noticed in two seconds. */
const HEARD_MS = 1_000;
const LONGEST_MS = 1_000;

export class FollowedPartition {
  readonly log: PartitionLog;
  readonly #journal: FollowedJournal;
  readonly #timer: PollTimer;
  readonly #onFatal: (error: unknown) => void;
  #unwatch: () => void = () => undefined;
  #stepping: Promise<unknown> = Promise.resolve();
  #wasLost = false;

  private constructor(journal: FollowedJournal, log: PartitionLog, options: FollowedPartitionOptions) {
    const { partition, owners } = options;
    this.#journal = journal;
    this.log = log;
    this.#onFatal = options.onFatal;
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
    const forward = forwardTo(owners.ask, partition, () => journal.lastSeq);
    const log = await PartitionLog.follow({ journal, forward, onFatal });
    const followed = new FollowedPartition(journal, log, options);
    followed.#unwatch = owners.watch(log, (seq) => followed.wake(seq));
    return followed;
  }

  /** Nothing new is shown before: whoever needs all of it has subscribed by then. */
  start(): void {
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
      // After a loss it may be another server: one that was promoted, or restored.
      if (this.#wasLost) await this.#journal.assertKept();
      this.#wasLost = false;
      const found = await this.#journal.advance();
      if (found === 'none') return 'idle';
      return found === 'more' ? 'more' : 'busy';
    } catch (error) {
      if (!(error instanceof ConnectionLost)) {
        this.#onFatal(error);
        throw error;
      }
      this.#wasLost = true;
      return 'failed';
    }
  }
}
