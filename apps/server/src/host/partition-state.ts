// State folded from the records of one partition: recovered from the newest checkpoint and the records after it; checkpoints are written at intervals.
import type { JournalRecord } from '@presage/protocol';
import { toStateBetweenWork } from './checkpoint-state.ts';
import type { DurableBatch, PartitionLog } from './partition-log.ts';

/** A state that is a function of its partition's records. */
export interface RecordFold {
  apply(record: JournalRecord): void;
  /** Lines of the current state, even if they are read later: equal states give equal lines. None holds a line feed. */
  lines(): Iterable<string>;
  /** Fills an empty state from its lines; throws if they are not its own. */
  restore(lines: readonly string[]): void;
}

export interface PartitionStateOptions<Fold extends RecordFold> {
  readonly log: PartitionLog;
  /** Creates an empty state. */
  readonly create: () => Fold;
  /** Records between two checkpoints. */
  readonly checkpointEvery?: number | undefined;
  readonly onWarning: (message: string) => void;
}

/** Bounds how many records a start reads beyond the checkpoint; some hold a whole signed batch. */
const CHECKPOINT_EVERY = 1_000;
/** Above this number of lines, checkpoints become rarer in proportion, so that their cost per record stays the same. */
const CHECKPOINT_LINES = 5_000;

export class PartitionState<Fold extends RecordFold> {
  readonly fold: Fold;
  readonly #options: PartitionStateOptions<Fold>;
  #seq: number;
  #checkpointSeq: number;
  /** Lines of the last checkpoint. */
  #lines: number;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;

  private constructor(options: PartitionStateOptions<Fold>, { fold, checkpointSeq, lines }: Recovered<Fold>) {
    this.#options = options;
    this.fold = fold;
    this.#seq = options.log.lastSeq;
    this.#checkpointSeq = checkpointSeq;
    this.#lines = lines;
  }

  /** Opens the state, which follows the partition before all later subscribers. */
  static async open<Fold extends RecordFold>(options: PartitionStateOptions<Fold>): Promise<PartitionState<Fold>> {
    const state = new PartitionState(options, await recover(options));
    options.log.subscribe((batch) => state.#follow(batch));
    state.#checkpointIfDue();
    return state;
  }

  /** Writes a final checkpoint, so that the next start reads no records. */
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
    const every = checkpointEvery * Math.max(1, this.#lines / CHECKPOINT_LINES);
    if (!this.#isWriting && this.#seq - this.#checkpointSeq >= every) this.#checkpoint();
  }

  /** Writes a checkpoint of durable records, so it waits for none. A large state is written in parts, since orders wait for this thread. */
  #checkpoint(): void {
    const { log, onWarning } = this.#options;
    const seq = this.#seq;
    const lines = this.fold.lines();
    this.#checkpointSeq = seq;
    this.#isWriting = true;
    this.#writing = this.#writing
      .then(() => toStateBetweenWork(this.#count(lines)))
      .then(({ body, stateHash }) => log.writeCheckpoint({ seq, stateHash, body }))
      .catch((error: unknown) => onWarning(`checkpoint at ${seq} of ${log.partition} was not written: ${error}`))
      .then(() => {
        this.#isWriting = false;
      });
  }

  *#count(lines: Iterable<string>): Generator<string> {
    let count = 0;
    for (const line of lines) {
      count++;
      yield line;
    }
    this.#lines = count;
  }
}

interface Recovered<Fold> {
  readonly fold: Fold;
  readonly checkpointSeq: number;
  /** Lines of that checkpoint; 0 without one. */
  readonly lines: number;
}

async function recover<Fold extends RecordFold>(options: PartitionStateOptions<Fold>): Promise<Recovered<Fold>> {
  const { log } = options;
  const recovered = await restore(options);
  for await (const { records } of log.read(recovered.checkpointSeq + 1)) {
    for (const record of records) recovered.fold.apply(record);
  }
  return recovered;
}

/** Restores the newest checkpoint. An unusable one only costs time: the records hold the same state. */
async function restore<Fold extends RecordFold>(options: PartitionStateOptions<Fold>): Promise<Recovered<Fold>> {
  const { log, create, onWarning } = options;
  const { checkpoint, damaged } = await log.readCheckpoint();
  for (const message of damaged) onWarning(message);
  if (checkpoint === undefined) return { fold: create(), checkpointSeq: 0, lines: 0 };
  const fold = create();
  try {
    const lines = new TextDecoder().decode(checkpoint.body).split('\n').slice(0, -1);
    fold.restore(lines);
    return { fold, checkpointSeq: checkpoint.seq, lines: lines.length };
  } catch (error) {
    onWarning(`the checkpoint at ${checkpoint.seq} of ${log.partition} is not used, all is replayed: ${error}`);
    return { fold: create(), checkpointSeq: 0, lines: 0 };
  }
}
