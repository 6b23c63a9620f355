// A partition that its owner is about to hand to this node: followed, with all state built that deciding on it needs.
import { type HandedOver, JournalSuccessor, type PostgresJournal, type PostgresJournalOptions } from '@presage/journal';
import type { PartitionLog } from '../host/partition-log.ts';
import { FollowedPartition } from './followed-partition.ts';
import type { FollowedOwners, Tenant } from './ports.ts';

export interface WarmPartitionOptions {
  readonly toJournal: (onLost: (error: unknown) => void) => PostgresJournalOptions;
  readonly owners: FollowedOwners;
  readonly prepare: (log: PartitionLog) => Promise<Tenant>;
  readonly nowMs: () => number;
}

interface Parts {
  readonly successor: JournalSuccessor;
  readonly followed: FollowedPartition;
  readonly tenant: Tenant;
  readonly loss: Loss;
  readonly nowMs: () => number;
}

/** Longest wait for the last frames: the partition is blocked meanwhile. */
const FINISH_MS = 2_000;

export class WarmPartition {
  readonly tenant: Tenant;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.tenant = parts.tenant;
  }

  static async open({ toJournal, owners, prepare, nowMs }: WarmPartitionOptions): Promise<WarmPartition> {
    const loss = new Loss();
    const successor = await JournalSuccessor.open(toJournal(loss.report));
    const { followed: journal } = successor;
    const { partition } = journal;
    const followed = await FollowedPartition.open({ partition, owners, journal, onFatal: loss.report });
    try {
      const tenant = await prepare(followed.log);
      followed.start();
      return new WarmPartition({ successor, followed, tenant, loss, nowMs });
    } catch (error) {
      followed.close();
      throw error;
    }
  }

  get log(): PartitionLog {
    return this.#parts.followed.log;
  }

  /** Owner name that the lease is passed on to. */
  get owner(): string {
    return this.#parts.successor.owner;
  }

  /** Calls the listener once, even if the journal was lost before. */
  onLost(listener: (error: unknown) => void): void {
    this.#parts.loss.onReported(listener);
  }

  /** Reads the last frames. If that fails, the lease is released, so that others need not wait until it expires. */
  async take(handed: HandedOver): Promise<PostgresJournal> {
    const { successor, followed, loss, nowMs } = this.#parts;
    try {
      if (!(await followed.finish(handed.lastSeq, FINISH_MS))) throw new Error('its last frames could not be read');
      const journal = successor.take(handed);
      followed.log.own({ journal, nowMs, onFatal: loss.report });
      return journal;
    } catch (error) {
      await successor.decline(handed.epoch).catch(() => undefined);
      throw error;
    }
  }

  close(): void {
    this.#parts.followed.close();
  }
}

/** Keeps the loss of a journal until there is a listener, which is set later than the journal's. */
class Loss {
  #error: { readonly cause: unknown } | undefined;
  #listener: ((error: unknown) => void) | undefined;

  readonly report = (cause: unknown): void => {
    if (this.#error !== undefined) return;
    this.#error = { cause };
    this.#listener?.(cause);
  };

  onReported(listener: (error: unknown) => void): void {
    this.#listener = listener;
    if (this.#error !== undefined) listener(this.#error.cause);
  }
}
