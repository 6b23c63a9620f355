// A journal in memory: for tests, and the smallest model of a journal with leases.
import {
  type Checkpoint,
  decodeFrame,
  type Frame,
  type FrameRef,
  type Journal,
  JournalFenced,
  JournalLocked,
} from '@presage/journal';
import {
  assertCheckpoint,
  assertNotAhead,
  assertPartitionName,
  CHECKPOINTS_KEPT,
  type CheckpointFound,
  FrameChain,
  OwnedPartition,
  toFrameRef,
} from '@presage/journal/body';

/** Storage that outlives a `MemoryJournal`: pass it to the next one to simulate a restart. */
export class MemoryStorage {
  readonly partition: string;
  readonly frames: Uint8Array[] = [];
  readonly checkpoints: Checkpoint[] = [];
  epoch = 0;
  held = false;
  #fault: unknown;

  constructor(partition: string) {
    assertPartitionName(partition);
    this.partition = partition;
  }

  /** Makes the next write fail with this error, without storing its frame. */
  failNextWrite(error: unknown): void {
    this.#fault = error;
  }

  async store(bytes: Uint8Array, epoch: number): Promise<void> {
    const copy = bytes.slice();
    // A disk or a database answers later: this keeps callers from relying on an answer in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    if (epoch !== this.epoch) throw new JournalFenced(this.partition, epoch);
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined) throw fault;
    this.frames.push(copy);
  }
}

export interface MemoryJournalOptions {
  storage: MemoryStorage;
  /** Takes the partition from a live owner, who is fenced from then on, as after an expired lease. */
  takeOver?: boolean;
}

export class MemoryJournal extends OwnedPartition implements Journal {
  readonly epoch: number;
  readonly firstSeq = 1;
  readonly #storage: MemoryStorage;

  private constructor(storage: MemoryStorage, chain: FrameChain) {
    super(storage.partition, chain);
    this.#storage = storage;
    this.epoch = storage.epoch;
  }

  static async open(options: MemoryJournalOptions): Promise<MemoryJournal> {
    const { storage } = options;
    if (storage.held && !options.takeOver) throw new JournalLocked(storage.partition, process.pid);
    const chain = FrameChain.atStart(storage.partition);
    for (const bytes of storage.frames) chain.advance(checkedFrame(chain, bytes));
    storage.held = true;
    storage.epoch++;
    return new MemoryJournal(storage, chain);
  }

  async identity(): Promise<string | undefined> {
    for await (const { hash } of this.readWhole(1)) return Buffer.from(hash).toString('hex');
    return undefined;
  }

  async append(records: readonly Uint8Array[], timeMs: number): Promise<FrameRef> {
    this.gate.assertFree();
    const { bytes, frame } = this.chain.seal(records, timeMs, this.epoch);
    const durable = await this.gate.pass(async () => {
      await this.#storage.store(bytes, this.epoch);
      this.chain.advance(frame);
      return frame;
    });
    return toFrameRef(durable);
  }

  async reopen(): Promise<MemoryJournal> {
    await this.gate.close();
    if (this.epoch !== this.#storage.epoch) throw new JournalFenced(this.partition, this.epoch);
    return MemoryJournal.open({ storage: this.#storage, takeOver: true });
  }

  async *readWhole(fromSeq: number): AsyncGenerator<Frame, void, void> {
    const end = this.lastSeq;
    const chain = FrameChain.atStart(this.partition);
    for (const bytes of this.#storage.frames) {
      if (chain.nextSeq > end) return;
      const frame = checkedFrame(chain, bytes);
      chain.advance(frame);
      if (frame.lastSeq >= fromSeq) yield frame;
    }
  }

  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.gate.assertOpen();
    assertCheckpoint(checkpoint, this.lastSeq);
    const kept = this.#storage.checkpoints.filter(({ seq }) => seq !== checkpoint.seq);
    kept.push({ ...checkpoint, body: checkpoint.body.slice() });
    kept.sort((a, b) => b.seq - a.seq);
    this.#storage.checkpoints.splice(0, Number.POSITIVE_INFINITY, ...kept.slice(0, CHECKPOINTS_KEPT));
  }

  async readCheckpoint(): Promise<CheckpointFound> {
    const checkpoint = this.#storage.checkpoints[0];
    if (checkpoint) assertNotAhead(checkpoint, this.lastSeq, 'memory');
    return { checkpoint, damaged: [] };
  }

  async close(): Promise<void> {
    await this.gate.close();
    if (this.epoch === this.#storage.epoch) this.#storage.held = false;
  }
}

function checkedFrame(chain: FrameChain, bytes: Uint8Array): Frame {
  const frame = decodeFrame(bytes);
  const reason = 'fault' in frame ? `a bad ${frame.fault}` : chain.breach(frame);
  if ('fault' in frame || reason !== undefined) throw chain.corrupt('memory', 0, reason ?? 'a bad frame');
  return frame;
}
