// The right to write a partition, for a while: taken, kept and given back by single statements on the database's clock.
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
  /** Where the others reach the owner, or what a person calls it. */
  readonly address: string;
  readonly leaseMs: number;
}

/** Who a lease is passed on to: what the next owner calls its lease, and where the others reach it. */
export interface NextHolder {
  readonly owner: string;
  readonly address: string;
}

export class Lease {
  readonly #options: LeaseOptions;
  /** Names this one lease: another lease of the same process has another owner. */
  readonly owner: string;
  #epoch: number;
  #renewing: NodeJS.Timeout | undefined;

  private constructor(options: LeaseOptions, owner: string, epoch: number) {
    this.#options = options;
    this.owner = owner;
    this.#epoch = epoch;
  }

  /** Rejects with `JournalLocked` while another one has it. */
  static async take(options: LeaseOptions): Promise<Lease> {
    const { database, partition, address, leaseMs } = options;
    const owner = randomUUID();
    await database.query(ADD_LEASE, [partition]);
    const [taken] = await database.query<{ epoch: string }>(TAKE_LEASE, [partition, owner, address, leaseMs]);
    if (taken !== undefined) return new Lease(options, owner, Number(taken.epoch));
    const [held] = await database.query<{ address: string }>(READ_LEASE, [partition]);
    throw new JournalLocked(partition, held?.address ?? 'an unknown owner');
  }

  /** A lease that its previous holder has passed on to this owner name. */
  static passedOn(options: LeaseOptions, { owner, epoch }: { owner: string; epoch: number }): Lease {
    return new Lease(options, owner, epoch);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Rejects with `JournalFenced` when another owner has it. */
  async renew(): Promise<void> {
    await this.#ask(RENEW_LEASE);
  }

  /** A third of the lease apart: two may fail. `onLost` is called once, when another owner has it. */
  keep(onLost: (error: JournalFenced) => void): void {
    clearInterval(this.#renewing);
    let isLost = false;
    this.#renewing = setInterval(() => {
      this.renew().catch((error: unknown) => {
        // The database does not answer: whether the lease still stands is for the database to say, at the next append.
        if (!(error instanceof JournalFenced) || isLost) return;
        // On a slow database several renewals are on their way at once, and all of them are refused.
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

  /** Resolves with the next owner's epoch. Rejects with `JournalFenced` when another owner has it already. */
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
  /** For how long, unless it is renewed or given up; 0 once it has run out: then it is anybody's. */
  readonly heldMs: number;
}

interface LeaseRow {
  readonly part: string;
  readonly address: string;
  readonly epoch: string;
  readonly held_ms: number;
}

/** Who owns which partition of a shared journal, as everybody may read it. */
export async function readLeases(database: JournalDatabase): Promise<LeaseHolder[]> {
  const rows = await database.query<LeaseRow>(READ_LEASES, []);
  return rows.map(({ part, address, epoch, held_ms }) => ({
    partition: part,
    address,
    epoch: Number(epoch),
    heldMs: held_ms,
  }));
}
