// A view shared by several nodes: the holder of its lease writes it, the others follow and take over if the holder fails.
import { sleep, withinTime } from '@presage/runtime';
import { SharedCursors } from './shared-cursors.ts';
import { codeOf } from './table-watch.ts';
import { ViewFenced, ViewLease } from './view-lease.ts';
import { ViewOwner } from './view-owner.ts';
import { ViewProjector, type ViewProjectorOptions } from './view-projector.ts';
import { ViewAhead, ViewRefused } from './view-refusals.ts';
import { toViewVersion } from './view-tables.ts';

export interface SharedViewOptions extends Omit<ViewProjectorOptions, 'lease'> {
  readonly address: string;
  readonly leaseMs: number;
  /** Whether this node never writes the view, because another one is known to. */
  readonly isReader?: boolean | undefined;
  /** Drops all connections: the next query goes to the next server of the address. */
  readonly moveOn: () => void;
  readonly onTrouble: (error: unknown) => void;
  /** Called when this node starts or stops writing the view. */
  readonly onLeading: (isLeading: boolean) => void;
  /** Called when the writer has rebuilt the view from the first record. */
  readonly onRebuild: (reason: string) => void;
}

const LOOK_MS = 250;
/**
 * Records of this period share a transaction; otherwise the database would run one nearly empty transaction after
 * another. Short, because readers in other processes cannot end the gathering.
 */
export const SHARED_GATHER_MS = 50;
/** Timeout of an answer: a stopped server closes no connection. */
const ANSWER_MS = 10_000;
/** PostgreSQL's code for a write to a standby, which is read-only. */
const READ_ONLY = '25006';

export class SharedView {
  readonly #options: SharedViewOptions;
  readonly #reader: SharedCursors;
  readonly #owner: ViewOwner;
  readonly #closing = new AbortController();
  #lease: ViewLease | undefined;
  #writer: ViewProjector | undefined;
  #living: Promise<void> = Promise.resolve();
  #looking: Promise<void> = Promise.resolve();
  #isYielding: boolean;
  /** Why the view could not be used at the last check. */
  #refusal: ViewRefused | undefined;
  /** Whether the tables were found to be of this journal, or not created yet. */
  #isChecked = false;
  /** Cursors of the last read as a follower. */
  #shown: readonly number[] = [];

  constructor(options: SharedViewOptions) {
    this.#options = options;
    this.#isYielding = options.isReader ?? false;
    const { sql, sources } = options;
    this.#reader = new SharedCursors(sql, sources, toViewVersion(options));
    this.#owner = options.owner ?? new ViewOwner({ sql, sources });
  }

  /**
   * Resolves when any writer has brought the view to the journal's end as of the call. Rejects if the view is refused
   * before.
   */
  async start(): Promise<void> {
    const targets = this.#options.sources.map(({ lastSeq }) => lastSeq);
    this.#living = this.#live();
    const isThere = async () => (await this.waitFor(targets, LOOK_MS)) && this.#isChecked;
    while (!this.#closing.signal.aborted && !(await isThere())) {
      if (this.#refusal !== undefined) throw this.#refusal;
      await sleep(LOOK_MS / 10, this.#closing.signal).catch(() => undefined);
    }
  }

  get isLeading(): boolean {
    return this.#writer !== undefined;
  }

  get cursors(): readonly number[] {
    return (this.#writer ?? this.#reader).cursors;
  }

  get lag(): number {
    const { sources } = this.#options;
    return sources.reduce((lag, { lastSeq }, index) => lag + Math.max(0, lastSeq - (this.cursors[index] ?? 0)), 0);
  }

  get isUp(): boolean {
    return (this.#writer ?? this.#reader).isUp;
  }

  /** Waits on the writer's or the reader's cursors, and switches if this node starts or stops writing meanwhile. */
  async waitFor(seqs: readonly number[], timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const writer = this.#writer;
      const leftMs = Math.max(0, deadlineMs - performance.now());
      if (await (writer ?? this.#reader).waitFor(seqs, leftMs)) return true;
      if (performance.now() >= deadlineMs || writer === this.#writer) return false;
    }
  }

  /**
   * Releases the lease to another node; this one keeps reading. Called before a stop, so that readers elsewhere do not
   * wait.
   */
  async yieldLease(): Promise<void> {
    this.#isYielding = true;
    await this.#looking;
    await this.#stepDown();
    await this.#lease?.release().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#living;
    await this.yieldLease();
  }

  async #live(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#looking = this.#look().catch((error: unknown) => this.#onTrouble(error));
      await this.#looking;
      const pauseMs = this.isLeading ? this.#options.leaseMs / 3 : LOOK_MS;
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { sql, address, leaseMs } = this.#options;
    if (this.#lease !== undefined && this.isLeading) {
      if (!(await answered(this.#lease.renew()))) await this.#stepDown();
      return;
    }
    await this.#read();
    if (this.#isYielding) return;
    // A node that is further ahead may write the view; this one would take it for that of a truncated journal.
    if (await answered(this.#reader.isAhead())) return;
    this.#lease ??= await answered(ViewLease.open({ sql, address, leaseMs }));
    if (await answered(this.#lease.take())) this.#lead(this.#lease);
  }

  /** Throws if the tables are of another journal. */
  async #read(): Promise<void> {
    await answered(this.#reader.look());
    if (!this.#isChecked || !this.#reader.isOurs) await answered(this.#owner.assertOurs());
    this.#isChecked = true;
    this.#refusal = undefined;
    const isRebuilt = this.#reader.cursors.some((cursor, index) => cursor < (this.#shown[index] ?? 0));
    this.#shown = this.#reader.cursors;
    if (isRebuilt) this.#options.onRebuild('another node builds it anew, or its tables were dropped');
  }

  #lead(lease: ViewLease): void {
    const onTrouble = (error: unknown) => this.#onTrouble(error);
    const limits = { ...this.#options.limits, gatherMs: SHARED_GATHER_MS };
    const writer = new ViewProjector({ ...this.#options, limits, owner: this.#owner, onTrouble, lease });
    this.#writer = writer;
    this.#options.onLeading(true);
    writer.start().catch(async (error: unknown) => {
      onTrouble(error);
      if (this.#writer !== writer) return;
      await this.#stepDown();
      await lease.release().catch(onTrouble);
    });
  }

  async #stepDown(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    this.#options.onLeading(false);
    await writer.close();
  }

  #onTrouble(error: unknown): void {
    // Not a failure: this node is still catching up with the journal.
    if (error instanceof ViewAhead) return;
    if (error instanceof ViewRefused) this.#refusal = error;
    if (error instanceof NoAnswer || codeOf(error) === READ_ONLY) this.#options.moveOn();
    // Fenced: this node cannot write until the next check.
    if (error instanceof ViewFenced && this.isLeading) this.#stepDown().catch(this.#options.onTrouble);
    else this.#options.onTrouble(error);
  }
}

class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

function answered<T>(asked: Promise<T>): Promise<T> {
  return withinTime(asked, ANSWER_MS, () => new NoAnswer('the database of the view does not answer'));
}
