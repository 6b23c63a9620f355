// One partition that an engine may own: taken when it is free and wanted or handed over by its owner, served, and given up again without ending the process.
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

/** What an engine that hands a partition over asks of the next one. */
export interface HandOverReceiver {
  /** Resolves when it follows the partition, with the owner name for its lease. */
  prepare(partition: string): Promise<{ readonly owner: string }>;
  /** The lease is its own: resolves when it answers. */
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
  /** Another disk than the machine's, for the simulator. */
  readonly files?: JournalFiles | undefined;
  readonly nowMs: () => number;
  /** Whether it is this node's turn, and nobody is known to own it. Polled. */
  readonly isWanted: () => Promise<boolean>;
  readonly prepare: (log: PartitionLog) => Promise<Tenant>;
  readonly onChange: (message: string) => void;
  /** Records that this node acknowledged are missing, so nobody may write. Called once; taken again when the right database answers. */
  readonly onHalted: (error: unknown) => void;
}

/** Why a partition is no longer this node's. */
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
/** While acknowledged records are missing: each look acquires the lease there and releases it. */
const HALTED_LOOK_MS = 1_000;
/** An owner that has not handed it over by then has changed its mind, or is gone. */
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

  /** Asks the successor to follow it; nothing has changed when that fails. */
  async prepare(successor: Successor): Promise<void> {
    await successor.prepare(this.partition);
  }

  /** Hands it over. Work continues until the successor follows it; rejects if that fails, and then it stays here. */
  async handOver(successor: Successor): Promise<void> {
    const { owner } = await successor.prepare(this.partition);
    this.#leave?.({ to: { successor, owner } });
    await this.#owning;
  }

  /** Gives it up to any node, and leaves a checkpoint of everything. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#leave?.({ to: undefined });
    this.#cool();
    await this.#living;
    await this.#owning;
  }

  /** Its owner wants to hand it to this node. Resolves when it is followed, with the owner name for the lease. */
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

  /** The lease is this node's; resolves when commands are carried out here. */
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

  /** Another node may have it since the right database answers again: rejects while that is not so. */
  async #lookAgain(): Promise<void> {
    await JournalSuccessor.open(this.#journalOptions(() => undefined));
    this.#isHalted = false;
    this.#options.onChange(`the database has all acknowledged records of ${this.partition} again`);
  }

  /** Its previous owner is gone or gave it up. */
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

  /** From now on it counts as owned, also while it is still being opened. */
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

  /** Callers wait meanwhile, and are then sent to the next owner. */
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
