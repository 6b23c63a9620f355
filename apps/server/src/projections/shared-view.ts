// A view that several nodes share: whoever holds its lease writes it, the others wait for what is written and take over when the holder is gone.
import { sleep, withinTime } from '@presage/runtime';
import { SharedCursors } from './shared-cursors.ts';
import { ViewFenced, ViewLease } from './view-lease.ts';
import { ViewProjector, type ViewProjectorOptions } from './view-projector.ts';
import { toViewVersion } from './view-tables.ts';

export interface SharedViewOptions extends Omit<ViewProjectorOptions, 'lease'> {
  readonly address: string;
  readonly leaseMs: number;
  /** Gives all connections up: the next question goes to the next server of the address. */
  readonly moveOn: () => void;
  readonly onTrouble: (error: unknown) => void;
  /** This node writes the view from now on, or no longer. */
  readonly onLeading: (isLeading: boolean) => void;
}

const LOOK_MS = 250;
/** A server that says nothing for so long is given up; one that was stopped closes no connection. */
const ANSWER_MS = 10_000;
/** What the former writer has seen arrives here as well, soon. */
const CATCH_UP_MS = 10_000;
/** A standby, which may be read and not written. */
const READ_ONLY = '25006';

export class SharedView {
  readonly #options: SharedViewOptions;
  readonly #reader: SharedCursors;
  readonly #closing = new AbortController();
  #lease: ViewLease | undefined;
  #writer: ViewProjector | undefined;
  #living: Promise<void> = Promise.resolve();

  constructor(options: SharedViewOptions) {
    this.#options = options;
    const { sql, sources } = options;
    this.#reader = new SharedCursors({ sql, sources, version: toViewVersion(options) });
  }

  /** Resolves when the view has reached what was the journal's end, whoever writes it. */
  async start(): Promise<void> {
    const targets = this.#options.sources.map(({ lastSeq }) => lastSeq);
    this.#living = this.#live();
    while (!this.#closing.signal.aborted && !(await this.waitFor(targets, LOOK_MS)));
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

  /** Goes on with the other way of knowing where the writer changes meanwhile. */
  async waitFor(seqs: readonly number[], timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const writer = this.#writer;
      const leftMs = Math.max(0, deadlineMs - performance.now());
      if (await (writer ?? this.#reader).waitFor(seqs, leftMs)) return true;
      if (performance.now() >= deadlineMs || writer === this.#writer) return false;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#living;
    await this.#stepDown();
    await this.#lease?.release().catch(() => undefined);
  }

  async #live(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#look().catch((error: unknown) => this.#onTrouble(error));
      const pauseMs = this.isLeading ? this.#options.leaseMs / 3 : LOOK_MS;
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { sql, address, leaseMs } = this.#options;
    this.#lease ??= await answered(ViewLease.open({ sql, address, leaseMs }));
    if (this.isLeading) {
      if (!(await answered(this.#lease.renew()))) await this.#stepDown();
    } else if (await answered(this.#lease.take())) await this.#lead(this.#lease);
    else await answered(this.#reader.look());
  }

  async #lead(lease: ViewLease): Promise<void> {
    await this.#caughtUp();
    const onTrouble = (error: unknown) => this.#onTrouble(error);
    const writer = new ViewProjector({ ...this.#options, onTrouble, lease });
    this.#writer = writer;
    this.#options.onLeading(true);
    writer.start().catch(onTrouble);
  }

  async #stepDown(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    this.#options.onLeading(false);
    await writer.close();
  }

  /** The former writer may have been ahead of this node: a view beyond the journal would be taken for one of another journal. */
  async #caughtUp(): Promise<void> {
    const untilMs = performance.now() + CATCH_UP_MS;
    await answered(this.#reader.look());
    const isBehind = () => this.#options.sources.some(({ lastSeq }, index) => lastSeq < this.#reader.cursors[index]!);
    while (isBehind() && performance.now() < untilMs && (await this.#lease?.renew()))
      await sleep(LOOK_MS / 10, this.#closing.signal).catch(() => undefined);
  }

  #onTrouble(error: unknown): void {
    const code = String((error as { code?: unknown }).code);
    if (error instanceof NoAnswer || code === READ_ONLY) this.#options.moveOn();
    // The next look finds out; until then nothing can be written.
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
