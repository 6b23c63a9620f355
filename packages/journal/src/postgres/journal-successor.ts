// A partition that this node follows and will own next: everything is ready except the lease, which its owner passes
// on.
import { randomUUID } from 'node:crypto';
import { JournalMisuse } from '../errors.ts';
import type { Mark } from '../file/mark.ts';
import { FollowedJournal } from '../followed-journal.ts';
import { PostgresFrames } from './followed-frames.ts';
import { Lease } from './lease.ts';
import { openMark, PostgresJournal, type PostgresJournalOptions } from './postgres-journal.ts';

/** End of the previous owner's journal, and the epoch of the next one. */
export interface HandedOver {
  readonly epoch: number;
  readonly lastSeq: number;
  readonly headHash: string;
}

export class JournalSuccessor {
  readonly followed: FollowedJournal;
  /** Owner name to which the lease is passed on. */
  readonly owner: string = randomUUID();
  readonly #options: PostgresJournalOptions;
  readonly #mark: Mark | undefined;

  private constructor(options: PostgresJournalOptions, followed: FollowedJournal, mark: Mark | undefined) {
    this.#options = options;
    this.followed = followed;
    this.#mark = mark;
  }

  /** Rejects if the database lacks what this node acknowledged as an owner. */
  static async open(options: PostgresJournalOptions): Promise<JournalSuccessor> {
    const followed = await FollowedJournal.open(new PostgresFrames(options));
    return new JournalSuccessor(options, followed, await openMark(options, followed.toChain()));
  }

  /** The journal must have been followed exactly to the end of the previous owner's. */
  take({ epoch, lastSeq, headHash }: HandedOver): PostgresJournal {
    const { followed, owner } = this;
    if (followed.lastSeq !== lastSeq || followed.headHash !== headHash) {
      throw new JournalMisuse(
        `${followed.partition} was handed over at ${lastSeq}, but has been followed to ${followed.lastSeq}.`,
      );
    }
    const parts = { options: this.#options, chain: followed.toChain(), mark: this.#mark };
    return PostgresJournal.succeed(parts, { owner, epoch });
  }

  /** Releases a lease that was passed on but cannot be used, so that another node need not wait for its expiry. */
  async decline(epoch: number): Promise<void> {
    const { database, partition, address, leaseMs = 0 } = this.#options;
    await Lease.passedOn({ database, partition, address, leaseMs }, { owner: this.owner, epoch }).release();
  }
}
