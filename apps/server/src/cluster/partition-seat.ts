// One partition that an engine may own: taken when free or handed over, served, and given up again without ending the process.
import { join } from 'node:path';
import {
  ConnectionLost,
  type HandedOver,
  JournalCorrupt,
  type JournalFiles,
  JournalLocked,
  JournalSuccessor,
  PostgresJournal,
  type PostgresJournalOptions,
} from '@presage/journal';
import { sleep } from '@presage/runtime';
import { PartitionLog } from '../host/partition-log.ts';
import type { EngineOwners, Tenant } from './ports.ts';
import { WarmPartition } from './warm-partition.ts';

/** Calls of an engine that hands a partition over to the next one. */
export interface HandOverReceiver {
  /** Resolves when the next engine follows the partition, with the owner name for its lease. */
  prepare(partition: string): Promise<{ readonly owner: string }>;
  /** Called when the lease belongs to the next engine; resolves when it serves the partition. */
  take(partition: string, handed: HandedOver): Promise<void>;
}

/** Another engine that may take over a partition. */
export interface Successor extends HandOverReceiver {
  readonly address: string;
  readonly linkAddress: string;
}

export interface PartitionSeatOptions {
  readonly owners: EngineOwners;
  readonly partition: string;
  readonly address: string;
  readonly leaseMs: number;
  readonly dataDir: string;
  /** Replaces the machine's disk, for the simulator. */
  readonly files?: JournalFiles | undefined;
  readonly nowMs: () => number;
  /** Whether this node should take the partition, and no owner is known. Polled. */
  readonly isWanted: () => Promise<boolean>;
  readonly prepare: (log: PartitionLog) => Promise<Tenant>;
  readonly onChange: (message: string) => void;
  /** Called once when records that this node acknowledged are missing, so nobody may write. The partition is taken again when the right database answers. */
  readonly onHalted: (error: unknown) => void;
}

/** Why this node stops owning a partition. */
type Leaving = { readonly lost: unknown } | { readonly to: Prepared | undefined };

interface Prepared {
  readonly successor: Successor;
  readonly owner: string;
}

interface Owned {
  readonly journal: PostgresJournal;
  readonly log: PartitionLog;
  readonly tenant: Tenant;
}

const LOOK_MS = 50;
/** Polling interval while acknowledged records are missing: each attempt acquires the lease and releases it. */
const HALTED_LOOK_MS = 1_000;
/** Time after which an expected handover is abandoned: the owner has changed its mind or is gone. */
const WARM_MS = 30_000;

export class PartitionSeat {
  readonly #options: PartitionSeatOptions;
  readonly #closing = new AbortController();
  #leave: ((leaving: Leaving) => void) | undefined;
  #owning: Promise<void> = Promise.resolve();
  #living: Promise<void> | undefined;
  #warm: Promise<WarmPartition> | undefined;
  #cooling: NodeJS.Timeout | undefined;
  #isHalted = false;

  constructor(options: PartitionSeatOptions) {
    this.#options = options;
  }

  get partition(): string {
    return this.#options.partition;
  }

  get isOwned(): boolean {
    return this.#leave !== undefined;
  }

  /** Whether records that this node acknowledged are missing from the database. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  start(): void {
    this.#living = this.#live();
  }

  /** Asks the successor to follow the partition; a failure changes nothing. */
  async prepare(successor: Successor): Promise<void> {
    await successor.prepare(this.partition);
  }

  /** Hands the partition over. Work continues until the successor follows it; if that fails, the call rejects and the partition stays here. */
  async handOver(successor: Successor): Promise<void> {
    const { owner } = await successor.prepare(this.partition);
    this.#leave?.({ to: { successor, owner } });
    await this.#owning;
  }

  /** Releases the partition to any node, after a checkpoint of its whole state. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#leave?.({ to: undefined });
    this.#cool();
    await this.#living;
    await this.#owning;
  }

  /** Prepares for a handover to this node. Resolves when the partition is followed, with the owner name for the lease. */
  async warmUp(): Promise<{ owner: string }> {
    if (this.isOwned || this.#closing.signal.aborted) throw new Error(`${this.partition} is not taken here`);
    clearTimeout(this.#cooling);
    this.#cooling = setTimeout(() => this.#cool(), WARM_MS).unref();
    this.#warm ??= this.#openWarm().catch((error: unknown) => {
      this.#warm = undefined;
      throw error;
    });
    return { owner: (await this.#warm).owner };
  }

  /** Takes the partition once the lease belongs to this node; resolves when commands are carried out here. */
  async take(handed: HandedOver): Promise<void> {
    const warm = await this.#warm;
    if (warm === undefined) throw new Error(`${this.partition} is not expected here`);
    clearTimeout(this.#cooling);
    this.#warm = undefined;
    const leaving = this.#begin();
    try {
      const journal = await warm.take(handed);
      const { log, tenant } = warm;
      warm.onLost((error) => this.#leave?.({ lost: error }));
      this.#owning = this.#own({ journal, log, tenant }, leaving);
    } catch (error) {
      this.#leave = undefined;
      throw error;
    }
  }

  async #live(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const isTurn = !this.isOwned && (await this.#options.isWanted());
        if (isTurn && !this.isOwned) await this.#takeFree();
        else if (this.#isHalted) await this.#lookAgain();
      } catch (error) {
        if (error instanceof JournalCorrupt) this.#halt(error);
        else if (!(error instanceof ConnectionLost))
          this.#options.onChange(`could not take ${this.partition}: ${error}`);
      }
      await sleep(this.#isHalted ? HALTED_LOOK_MS : LOOK_MS, signal).catch(() => undefined);
    }
  }

  #halt(error: JournalCorrupt): void {
    if (!this.#isHalted) this.#options.onHalted(error);
    this.#isHalted = true;
  }

  /** Checks whether the right database answers again, even if another node owns the partition by now; rejects if not. */
  async #lookAgain(): Promise<void> {
    await JournalSuccessor.open(this.#journalOptions(() => undefined));
    this.#isHalted = false;
    this.#options.onChange(`the database has all acknowledged records of ${this.partition} again`);
  }

  /** Takes a partition whose previous owner is gone or gave it up. */
  async #takeFree(): Promise<void> {
    this.#cool();
    const onLost = (error: unknown) => void this.#leave?.({ lost: error });
    const journal = await PostgresJournal.open(this.#journalOptions(onLost)).catch((error: unknown) => {
      if (error instanceof JournalLocked) return undefined;
      throw error;
    });
    if (journal === undefined) return;
    this.#isHalted = false;
    const leaving = this.#begin();
    try {
      const log = await PartitionLog.open({ journal, nowMs: this.#options.nowMs, onFatal: onLost });
      this.#owning = this.#own({ journal, log, tenant: await this.#options.prepare(log) }, leaving);
    } catch (error) {
      this.#leave = undefined;
      await journal.close().catch(() => undefined);
      throw error;
    }
    await this.#owning;
  }

  /** Marks the partition as owned, even while it is still being opened. */
  #begin(): Promise<Leaving> {
    const leaving = new Promise<Leaving>((resolve) => {
      this.#leave = resolve;
    });
    if (this.#closing.signal.aborted) this.#leave?.({ to: undefined });
    return leaving;
  }

  async #own({ journal, log, tenant }: Owned, leaving: Promise<Leaving>): Promise<void> {
    const { onChange, partition } = this.#options;
    try {
      tenant.start();
      onChange(`owns ${partition} from ${log.lastSeq} on`);
      const why = await leaving;
      if ('to' in why && why.to !== undefined) return await this.#passOn({ journal, log, tenant }, why.to);
      onChange('lost' in why ? `has lost ${partition}: ${String(why.lost)}` : `gives ${partition} up`);
      await tenant.close();
    } catch (error) {
      onChange(`has given ${partition} up in disorder: ${String(error)}`);
    } finally {
      this.#leave = undefined;
      await log.close().catch(() => undefined);
    }
  }

  /** Hands the partition over; callers wait meanwhile and are then sent to the next owner. */
  async #passOn({ journal, tenant }: Owned, { successor, owner }: Prepared): Promise<void> {
    const { onChange, partition } = this.#options;
    const { address, linkAddress } = successor;
    const times = new StepTimes();
    try {
      await times.step('drained', tenant.drain());
      const epoch = await times.step('passed on', journal.passOn({ owner, address }));
      const { lastSeq, headHash } = journal;
      await times.step('taken', successor.take(partition, { epoch, lastSeq, headHash }));
      await tenant.close({ address, linkAddress, epoch });
      onChange(`handed ${partition} over to ${address}: ${times}`);
    } catch (error) {
      onChange(`could not hand ${partition} over to ${address}: ${String(error)}`);
      await tenant.close();
    }
  }

  async #openWarm(): Promise<WarmPartition> {
    const { owners, prepare, nowMs } = this.#options;
    return WarmPartition.open({ toJournal: (onLost) => this.#journalOptions(onLost), owners, prepare, nowMs });
  }

  #cool(): void {
    clearTimeout(this.#cooling);
    void this.#warm?.then(
      (warm) => warm.close(),
      () => undefined,
    );
    this.#warm = undefined;
  }

  #journalOptions(onLost: (error: unknown) => void): PostgresJournalOptions {
    const { owners, partition, address, leaseMs, dataDir, files } = this.#options;
    const markDir = join(dataDir, 'acknowledged', partition);
    return { database: owners.database, partition, address, leaseMs, markDir, ...(files && { files }), onLost };
  }
}

/** Durations of the steps of a handover and the CPU time of all, for the log. */
class StepTimes {
  readonly #cpu = process.cpuUsage();
  readonly #startMs = performance.now();
  readonly #steps: string[] = [];

  async step<T>(name: string, done: Promise<T>): Promise<T> {
    const startMs = performance.now();
    const result = await done;
    this.#steps.push(`${name} in ${Math.round(performance.now() - startMs)}`);
    return result;
  }

  toString(): string {
    const { user, system } = process.cpuUsage(this.#cpu);
    const tookMs = Math.round(performance.now() - this.#startMs);
    return `${tookMs} ms (${this.#steps.join(', ')}), ${Math.round((user + system) / 1_000)} ms of the processor`;
  }
}
