// What the records of one partition add up to: the newest checkpoint, then the tail; written down again every so many records.
import type { JournalRecord } from '@presage/protocol';
import { toState } from './checkpoint-state.ts';
import type { DurableBatch, PartitionLog } from './partition-log.ts';

/** A state that is a function of its partition's records. */
export interface RecordFold {
  apply(record: JournalRecord): void;
  /** All of it: equal states give equal lines. None holds a line feed. */
  lines(): Iterable<string>;
  /** Fills an empty state from its lines; throws when they are not its own. */
  restore(lines: readonly string[]): void;
}

export interface PartitionStateOptions<Fold extends RecordFold> {
  readonly log: PartitionLog;
  /** An empty state. */
  readonly create: () => Fold;
  /** Records between two checkpoints. */
  readonly checkpointEvery?: number | undefined;
  readonly onWarning: (message: string) => void;
}

/** Bounds how many records a start reads beyond the checkpoint; some hold a whole signed batch. */
const CHECKPOINT_EVERY = 1_000;

export class PartitionState<Fold extends RecordFold> {
  readonly fold: Fold;
  readonly #options: PartitionStateOptions<Fold>;
  #seq: number;
  #checkpointSeq: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: PartitionStateOptions<Fold>, { fold, checkpointSeq }: Recovered<Fold>) {
    this.#options = options;
    this.fold = fold;
    this.#seq = options.log.lastSeq;
    this.#checkpointSeq = checkpointSeq;
  }

  /** It follows the partition from now on, before all that subscribe later. */
  static async open<Fold extends RecordFold>(options: PartitionStateOptions<Fold>): Promise<PartitionState<Fold>> {
    const state = new PartitionState(options, await recover(options));
    options.log.subscribe((batch) => state.#follow(batch));
    state.#checkpointIfDue();
    return state;
  }

  /** The next start then reads no record at all. */
  async close(): Promise<void> {
    await this.#options.log.settled();
    if (this.#seq > this.#checkpointSeq) this.#checkpoint();
    await this.#writing;
  }

  #follow({ records, lastSeq }: DurableBatch): void {
    for (const record of records) this.fold.apply(record);
    this.#seq = lastSeq;
    this.#checkpointIfDue();
  }

  #checkpointIfDue(): void {
    const { checkpointEvery = CHECKPOINT_EVERY } = this.#options;
    if (this.#seq - this.#checkpointSeq >= checkpointEvery) this.#checkpoint();
  }

  /** Covers durable records only, so it waits for nothing. */
  #checkpoint(): void {
    const { log, onWarning } = this.#options;
    const seq = this.#seq;
    const { body, stateHash } = toState(this.fold.lines());
    this.#checkpointSeq = seq;
    this.#writing = this.#writing
      .then(() => log.writeCheckpoint({ seq, stateHash, body }))
      .catch((error: unknown) => onWarning(`checkpoint at ${seq} of ${log.partition} was not written: ${error}`));
  }
}

interface Recovered<Fold> {
  readonly fold: Fold;
  readonly checkpointSeq: number;
}

async function recover<Fold extends RecordFold>(options: PartitionStateOptions<Fold>): Promise<Recovered<Fold>> {
  const { log } = options;
  const recovered = await restore(options);
  for await (const { records } of log.read(recovered.checkpointSeq + 1)) {
    for (const record of records) recovered.fold.apply(record);
  }
  return recovered;
}

/** A checkpoint that cannot be used costs time, not truth: the records say the same. */
async function restore<Fold extends RecordFold>(options: PartitionStateOptions<Fold>): Promise<Recovered<Fold>> {
  const { log, create, onWarning } = options;
  const { checkpoint, damaged } = await log.readCheckpoint();
  for (const message of damaged) onWarning(message);
  if (checkpoint === undefined) return { fold: create(), checkpointSeq: 0 };
  const fold = create();
  try {
    const lines = new TextDecoder().decode(checkpoint.body).split('\n');
    fold.restore(lines.slice(0, -1));
    return { fold, checkpointSeq: checkpoint.seq };
  } catch (error) {
    onWarning(`the checkpoint at ${checkpoint.seq} of ${log.partition} is not used, all is replayed: ${error}`);
    return { fold: create(), checkpointSeq: 0 };
  }
}
