// Keeps an image of the engine's memory on the disk, so that a start reads it and replays few records, whatever came before.
import { Engine, type EngineOptions, type TakenCheckpoint } from '@presage/engine';
import { toStateBetweenWork } from './checkpoint-state.ts';
import type { PartitionLog } from './partition-log.ts';

/** A start replays no more than about these, in a fraction of a second. */
const IMAGE_EVERY = 10_000;
/** A larger state is written less often: the cost for a record stays the same. */
const PACKED_A_RECORD = 8;

export interface MemoryKeeperOptions {
  readonly log: PartitionLog;
  readonly onWarning: (message: string) => void;
  /** Sequence of the image that there is; 0 without one. */
  readonly imageSeq: number;
  /** Records between two images at least. */
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

  /** Call it when the engine has applied all up to the sequence, and what it did is on its way to the disk. */
  keepIfDue(engine: Engine, seq: number): void {
    const { imageEvery = IMAGE_EVERY } = this.#options;
    if (this.#writing !== undefined || seq - this.#imageSeq < imageEvery) return;
    const { marketCount, activeMarketCount, rememberedOrders } = engine;
    // A retired market is bytes, as an order is.
    const packed = rememberedOrders + marketCount - activeMarketCount;
    if (seq - this.#imageSeq >= activeMarketCount + packed / PACKED_A_RECORD) this.#keep(engine, seq);
  }

  /** Nothing after the sequence was made durable. */
  rollBack(seq: number): void {
    this.#imageSeq = Math.min(this.#imageSeq, seq);
  }

  /** The next start then replays nothing. */
  async close(engine: Engine, seq: number): Promise<void> {
    await this.#writing;
    if (seq > this.#imageSeq) this.#keep(engine, seq);
    await this.#writing;
  }

  #keep(engine: Engine, seq: number): void {
    const { log, onWarning } = this.#options;
    this.#imageSeq = seq;
    const taken = engine.takeCheckpoint();
    // Asked for now: later it would also resolve for a state that was rolled back.
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

/** Undefined where there is none that this version of the program can read: a checkpoint and the journal say the same. */
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
