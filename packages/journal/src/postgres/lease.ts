// The lease of a partition: a temporary right to write, taken, renewed and released by single statements on the
// database's clock.
import { randomUUID } from 'node:crypto';
import { JournalFenced, JournalLocked } from '../errors.ts';
import type { JournalDatabase } from './database.ts';
import {
  ADD_LEASE,
  PASS_ON_LEASE,
  RAISE_EPOCH,
  READ_LEASE,
  READ_LEASES,
  RELEASE_LEASE,
  RENEW_LEASE,
  TAKE_LEASE,
} from './statements.ts';

export interface LeaseOptions {
  readonly database: JournalDatabase;
  readonly partition: string;
  /** Address at which others reach the owner, or a name for people. */
  readonly address: string;
  readonly leaseMs: number;
}

/** Next owner of a lease: the name of its lease, and its address. */
export interface NextHolder {
  readonly owner: string;
  readonly address: string;
}

export class Lease {
  readonly #options: LeaseOptions;
  /** Identifies this lease: another lease of the same process has another owner name. */
  readonly owner: string;
  #epoch: number;
  #renewing: NodeJS.Timeout | undefined;

  private constructor(options: LeaseOptions, owner: string, epoch: number) {
    this.#options = options;
    this.owner = owner;
    this.#epoch = epoch;
  }

  /** Rejects with `JournalLocked` while another owner has it. */
  static async take(options: LeaseOptions): Promise<Lease> {
    const { database, partition, address, leaseMs } = options;
    const owner = randomUUID();
    await database.query(ADD_LEASE, [partition]);
    const [taken] = await database.query<{ epoch: string }>(TAKE_LEASE, [partition, owner, address, leaseMs]);
    if (taken !== undefined) return new Lease(options, owner, Number(taken.epoch));
    const [held] = await database.query<{ address: string }>(READ_LEASE, [partition]);
    throw new JournalLocked(partition, held?.address ?? 'an unknown owner');
  }

  /** A lease that its previous holder passed on to this owner name. */
  static passedOn(options: LeaseOptions, { owner, epoch }: { owner: string; epoch: number }): Lease {
    return new Lease(options, owner, epoch);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Rejects with `JournalFenced` if another owner has it. */
  async renew(): Promise<void> {
    await this.#ask(RENEW_LEASE);
  }

  /**
   * Renews after each third of the lease, so that two renewals may fail. `onLost` is called once, if another owner has
   * it.
   */
  keep(onLost: (error: JournalFenced) => void): void {
    clearInterval(this.#renewing);
    let isLost = false;
    this.#renewing = setInterval(() => {
      this.renew().catch((error: unknown) => {
        // The database does not answer: at the next append it will tell whether the lease is still valid.
        if (!(error instanceof JournalFenced) || isLost) return;
        // On a slow database several renewals may be pending, and all of them are refused.
        isLost = true;
        clearInterval(this.#renewing);
        onLost(error);
      });
    }, this.#options.leaseMs / 3).unref();
  }

  /** From now on the database rejects statements of the previous epoch. */
  async raiseEpoch(atLeast = 0): Promise<void> {
    this.#epoch = await this.#ask(RAISE_EPOCH, [atLeast]);
  }

  /** Resolves with the next owner's epoch. Rejects with `JournalFenced` if another owner already has it. */
  passOn({ owner, address }: NextHolder): Promise<number> {
    clearInterval(this.#renewing);
    return this.#ask(PASS_ON_LEASE, [owner, address]);
  }

  async release(): Promise<void> {
    clearInterval(this.#renewing);
    await this.#options.database.query(RELEASE_LEASE, [this.#options.partition, this.owner]);
  }

  async #ask(statement: string, more: readonly (number | string)[] = []): Promise<number> {
    const { database, partition, leaseMs } = this.#options;
    const [row] = await database.query<{ epoch: string }>(statement, [partition, this.owner, leaseMs, ...more]);
    if (row === undefined) throw new JournalFenced(partition, this.#epoch);
    return Number(row.epoch);
  }
}

export interface LeaseHolder {
  readonly partition: string;
  readonly address: string;
  readonly epoch: number;
  /** Remaining time unless it is renewed or released; 0 once it has expired and anybody may take it. */
  readonly heldMs: number;
}

interface LeaseRow {
  readonly part: string;
  readonly address: string;
  readonly epoch: string;
  readonly held_ms: number;
}

/** Owners of all partitions of a shared journal, readable by every node. */
export async function readLeases(database: JournalDatabase): Promise<LeaseHolder[]> {
  const rows = await database.query<LeaseRow>(READ_LEASES, []);
  return rows.map(({ part, address, epoch, held_ms }) => ({
    partition: part,
    address,
    epoch: Number(epoch),
    heldMs: held_ms,
  }));
}
