// Keeps an image of the engine's memory on disk, so that a start reads it and replays few records, however long the history.
import { Engine, type EngineOptions, type TakenCheckpoint } from '@presage/engine';
import { toStateBetweenWork } from './checkpoint-state.ts';
import type { PartitionLog } from './partition-log.ts';

/** Records between two images: a start replays about this many at most, in a fraction of a second. */
const IMAGE_EVERY = 10_000;
/** Packed orders and markets per record between images: images of a larger state are rarer, so that the cost per record stays the same. */
const PACKED_A_RECORD = 8;

export interface MemoryKeeperOptions {
  readonly log: PartitionLog;
  readonly onWarning: (message: string) => void;
  /** Sequence of the existing image; 0 if there is none. */
  readonly imageSeq: number;
  /** Least number of records between two images. */
  readonly imageEvery?: number | undefined;
}

export class MemoryKeeper {
  readonly #options: MemoryKeeperOptions;
  #imageSeq: number;
  #writing: Promise<void> | undefined;

  constructor(options: MemoryKeeperOptions) {
    this.#options = options;
    this.#imageSeq = options.imageSeq;
  }

  /** Call this when the engine has applied all records up to the sequence and they are being written. */
  keepIfDue(engine: Engine, seq: number): void {
    const { imageEvery = IMAGE_EVERY } = this.#options;
    if (this.#writing !== undefined || seq - this.#imageSeq < imageEvery) return;
    const { marketCount, activeMarketCount, rememberedOrders } = engine;
    // A retired market is kept as bytes, like an order.
    const packed = rememberedOrders + marketCount - activeMarketCount;
    if (seq - this.#imageSeq >= activeMarketCount + packed / PACKED_A_RECORD) this.#keep(engine, seq);
  }

  /** Records after the sequence did not become durable. */
  rollBack(seq: number): void {
    this.#imageSeq = Math.min(this.#imageSeq, seq);
  }

  /** Writes a final image, so that the next start replays nothing. */
  async close(engine: Engine, seq: number): Promise<void> {
    await this.#writing;
    if (seq > this.#imageSeq) this.#keep(engine, seq);
    await this.#writing;
  }

  #keep(engine: Engine, seq: number): void {
    const { log, onWarning } = this.#options;
    this.#imageSeq = seq;
    const taken = engine.takeCheckpoint();
    // Called now: later it would also resolve for a state that was rolled back.
    const durable = log.flushed();
    durable.catch(() => undefined);
    this.#writing = this.#write(taken, seq, durable)
      .catch((error: unknown) => onWarning(`the memory at ${seq} was not written: ${String(error)}`))
      .finally(() => {
        taken.giveBack();
        this.#writing = undefined;
      });
  }

  async #write(taken: TakenCheckpoint, seq: number, durable: Promise<void>): Promise<void> {
    const { body } = await toStateBetweenWork(taken.texts());
    await durable;
    await this.#options.log.writeMemory({ seq, parts: [body, ...taken.memory()] });
  }
}

export interface RestoredMemory {
  readonly engine: Engine;
  readonly imageSeq: number;
  readonly checkpointSeq: number;
}

/** Undefined if there is no image that this version can read: a checkpoint and the journal hold the same state. */
export async function restoreMemory(
  log: PartitionLog,
  options: EngineOptions,
  onWarning: ((message: string) => void) | undefined,
): Promise<RestoredMemory | undefined> {
  const found = await log.readMemory();
  if (found === undefined) return undefined;
  const { seq, checkpointSeq, parts } = found;
  const [text, ...memory] = parts;
  try {
    const texts = new TextDecoder().decode(text).split('\n').slice(0, -1);
    return { engine: Engine.restoreImage({ texts, memory }, options), imageSeq: seq, checkpointSeq };
  } catch (error) {
    onWarning?.(`the memory at ${seq} is passed over, a checkpoint or the journal is read: ${String(error)}`);
    return undefined;
  }
}
