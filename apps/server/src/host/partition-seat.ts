// One partition that an engine may own: taken when it is free and wanted, served, and given up again without ending the process.
import { join } from 'node:path';
import { ConnectionLost, JournalCorrupt, type JournalDatabase, JournalLocked, PostgresJournal } from '@presage/journal';
import { sleep } from '@presage/runtime';
import { PartitionLog } from './partition-log.ts';

/** What is done with a partition while it is owned. */
export interface Tenant {
  /** Nothing new is taken; what was taken is durable, and a checkpoint is written, when it resolves. */
  close(): Promise<void>;
}

export interface PartitionSeatOptions {
  readonly database: JournalDatabase;
  readonly partition: string;
  readonly address: string;
  readonly leaseMs: number;
  readonly dataDir: string;
  readonly nowMs: () => number;
  /** Whether it is this node's turn, and nobody is known to have it. Asked again and again. */
  readonly isWanted: () => Promise<boolean>;
  readonly serve: (log: PartitionLog) => Promise<Tenant>;
  readonly onChange: (message: string) => void;
  /** What this node acknowledged is not there: nobody may write on. */
  readonly onHalted: (error: unknown) => void;
}

const LOOK_MS = 50;

export class PartitionSeat {
  readonly #options: PartitionSeatOptions;
  readonly #closing = new AbortController();
  #leave: (() => void) | undefined;
  #living: Promise<void> | undefined;

  constructor(options: PartitionSeatOptions) {
    this.#options = options;
  }

  get partition(): string {
    return this.#options.partition;
  }

  get isOwned(): boolean {
    return this.#leave !== undefined;
  }

  start(): void {
    this.#living = this.#live();
  }

  /** Hands it over: whoever wants it next finds a checkpoint of all there is. */
  giveUp(): void {
    this.#leave?.();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.giveUp();
    await this.#living;
  }

  async #live(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const journal = (await this.#options.isWanted()) ? await this.#take() : undefined;
        if (journal !== undefined) await this.#own(journal);
      } catch (error) {
        if (error instanceof JournalCorrupt) return this.#options.onHalted(error);
        if (!(error instanceof ConnectionLost)) this.#options.onChange(`could not take ${this.partition}: ${error}`);
      }
      await sleep(LOOK_MS, signal).catch(() => undefined);
    }
  }

  async #take(): Promise<TakenJournal | undefined> {
    const { database, partition, address, leaseMs, dataDir } = this.#options;
    let onLost = (_: unknown) => undefined;
    const lost = new Promise<unknown>((resolve) => {
      onLost = (error) => void resolve(error);
    });
    const markDir = join(dataDir, 'acknowledged', partition);
    try {
      const journal = await PostgresJournal.open({ database, partition, address, leaseMs, markDir, onLost });
      return { journal, lost, onLost };
    } catch (error) {
      if (error instanceof JournalLocked) return undefined;
      throw error;
    }
  }

  async #own({ journal, lost, onLost }: TakenJournal): Promise<void> {
    const { nowMs, serve, onChange, partition } = this.#options;
    const left = new Promise<'left'>((resolve) => {
      this.#leave = () => resolve('left');
    });
    if (this.#closing.signal.aborted) this.giveUp();
    const startMs = performance.now();
    const log = await PartitionLog.open({ journal, nowMs, onFatal: onLost });
    try {
      const tenant = await serve(log);
      onChange(`owns ${partition} from ${log.lastSeq} on, after ${Math.round(performance.now() - startMs)} ms`);
      const reason = await Promise.race([lost, left]);
      onChange(reason === 'left' ? `hands ${partition} over` : `has lost ${partition}: ${String(reason)}`);
      await tenant.close();
    } finally {
      this.#leave = undefined;
      await log.close().catch(() => undefined);
    }
  }
}

interface TakenJournal {
  readonly journal: PostgresJournal;
  readonly lost: Promise<unknown>;
  readonly onLost: (error: unknown) => undefined;
}
