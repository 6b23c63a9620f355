// Group commit: collects the pushes of many callers into one frame while the previous one is being made durable.
import { JournalMisuse } from './errors.ts';
import { FRAME_HEADER_BYTES, frameBytes, MAX_FRAME_BYTES } from './frame.ts';
import type { FrameRef, Journal } from './journal.ts';

export interface GroupCommitOptions {
  journal: Journal;
  /** Clock for frame times, in milliseconds. */
  now: () => number;
  /** Size up to which a frame takes further pushes; a larger push gets its own frame. */
  targetFrameBytes?: number;
  /** Defers the sealing of a frame until all callers of this turn have pushed. */
  defer?: (run: () => void) => void;
}

/** A push with callbacks for its result, one of which is called once; they must not throw. */
export interface PushTarget {
  readonly records: readonly Uint8Array[];
  /** Puts the records into the frame of the previous push, however large that becomes. */
  readonly joins?: boolean;
  onDurable(ref: FrameRef): void;
  onFailed(error: unknown): void;
}

interface Pending {
  readonly target: PushTarget;
  readonly bytes: number;
  readonly firstSeq: number;
}

// Hundreds of orders share one sync, which is most of the gain. A frame is published whole, so a larger one would be a larger answer
// for everybody who reads a single record of it.
const TARGET_FRAME_BYTES = 256 * 1024;

export class GroupCommit {
  readonly #options: Required<GroupCommitOptions>;
  #waiting: Pending[] = [];
  #nextSeq: number;
  #running = false;
  #failure: unknown;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = { targetFrameBytes: TARGET_FRAME_BYTES, defer: setImmediate, ...options };
    this.#nextSeq = options.journal.lastSeq + 1;
  }

  /** The sequence that the next pushed record will have, if everything before it becomes durable. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Resolves once these records are durable, in the order of the pushes; they are never split over two frames. */
  push(records: readonly Uint8Array[]): Promise<FrameRef> {
    return new Promise((resolve, reject) => this.pushFor({ records, onDurable: resolve, onFailed: reject }));
  }

  /** Like `push` with callbacks, for callers that have a promise already or need none. */
  pushFor(target: PushTarget): void {
    const { records } = target;
    const bytes = frameBytes(records) - FRAME_HEADER_BYTES;
    const refusal = this.#failure ?? refusalOf(records, bytes);
    if (refusal !== undefined) {
      target.onFailed(refusal);
      return;
    }
    this.#waiting.push({ target, bytes, firstSeq: this.#nextSeq });
    this.#nextSeq += records.length;
    if (!this.#running) this.#start();
  }

  /** Resolves when everything pushed has settled; further pushes are refused. The journal stays open. */
  async close(): Promise<void> {
    this.#failure ??= new JournalMisuse('This group commit is closed.');
    if (this.#running) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #start(): void {
    this.#running = true;
    // Callers resumed by the previous frame push again in the same turn: sealing at once would leave out all but the
    // first.
    this.#options.defer(() => void this.#commitNext());
  }

  async #commitNext(): Promise<void> {
    const group = this.#takeGroup();
    try {
      const records = group.flatMap(({ target }) => target.records);
      const ref = await this.#options.journal.append(records, this.#options.now());
      this.#settle(group, ref);
    } catch (error) {
      this.#fail(error, group);
    }
    if (this.#waiting.length > 0) this.#start();
    else this.#rest();
  }

  #takeGroup(): Pending[] {
    let bytes = 0;
    let count = 0;
    for (const pending of this.#waiting) {
      bytes += pending.bytes;
      if (count > 0 && bytes > this.#options.targetFrameBytes && pending.target.joins !== true) break;
      count++;
    }
    const group = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return group;
  }

  #settle(group: readonly Pending[], ref: FrameRef): void {
    if (group[0]?.firstSeq !== ref.firstSeq) {
      throw new JournalMisuse('Something else appended to a journal that a group commit owns.');
    }
    for (const { firstSeq, target } of group) {
      const lastSeq = firstSeq + target.records.length - 1;
      target.onDurable({ firstSeq, lastSeq, timeMs: ref.timeMs, frame: ref.frame });
    }
  }

  #fail(error: unknown, group: readonly Pending[]): void {
    this.#failure = error;
    const all = [...group, ...this.#waiting];
    this.#waiting = [];
    for (const { target } of all) target.onFailed(error);
  }

  #rest(): void {
    this.#running = false;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}

function refusalOf(records: readonly Uint8Array[], bytes: number): RangeError | undefined {
  if (records.length === 0) return new RangeError('Nothing to push.');
  if (bytes + FRAME_HEADER_BYTES <= MAX_FRAME_BYTES) return undefined;
  return new RangeError(`A push of ${bytes} bytes does not fit in a frame.`);
}
