// The view of a simulated service: the real projector, with its feed and faults, over tables in memory that outlive the process.
import type { DurableBatch, PartitionLog } from '../../apps/server/src/host/partition-log.ts';
import { Projector, type ViewTarget } from '../../apps/server/src/projections/projector.ts';
import type { Views } from '../../apps/server/src/projections/views.ts';
import { NaiveView } from '../../apps/server/test/projections/naive-view.ts';
import type { VirtualTime } from '../kernel/virtual-time.ts';

const ANSWER_MS = 3;

/** Commits rows and cursor atomically, like the database. */
export class SimViewDatabase {
  readonly #time: VirtualTime;
  isDown = false;
  /** How many of the next commits succeed without an answer. */
  lostCommits = 0;
  #rows = new NaiveView();
  #cursor = 0;
  #identity: string | undefined;
  rebuilds = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  get rows(): NaiveView {
    return this.#rows;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** The connection of one process. */
  connect(source: PartitionLog): ViewTarget {
    let believed = 0;
    const write = async (batches: readonly DurableBatch[]): Promise<void> => {
      await this.#answer();
      const from = batches[0]!.firstSeq - 1;
      if (from !== this.#cursor || believed !== this.#cursor) throw new Error(`the view is no longer at ${from}`);
      for (const batch of batches) this.#apply(batch);
      this.#identity = source.identity;
      believed = this.#cursor;
      if (this.lostCommits > 0) {
        this.lostCommits--;
        throw new Error('the connection was lost');
      }
      await this.#answer();
    };
    return {
      open: async () => {
        await this.#answer();
        const isOther = this.#cursor > source.lastSeq || (this.#cursor > 0 && this.#identity !== source.identity);
        if (isOther) this.#rebuild();
        believed = this.#cursor;
        return this.#cursor;
      },
      prepare: async (batches) => () => write(batches),
      complete: async () => undefined,
      analyze: async () => undefined,
      isAnalyzed: async () => true,
    };
  }

  #apply({ firstSeq, records }: DurableBatch): void {
    for (const [index, record] of records.entries()) {
      this.#cursor = firstSeq + index;
      this.#rows.apply(this.#cursor, record);
    }
  }

  #rebuild(): void {
    this.rebuilds++;
    this.#rows = new NaiveView();
    this.#cursor = 0;
  }

  async #answer(): Promise<void> {
    await this.#time.wait(ANSWER_MS);
    if (this.isDown) throw new Error('the database does not answer');
  }
}

/** Small, so that a database that is unreachable for a moment already means reading back from the journal. */
const LIMITS = { maxWaiting: 20, maxChunk: 16 };

/** One database for each market partition. */
export async function openSimViews(sources: readonly PartitionLog[], databases: readonly SimViewDatabase[]) {
  const projectors = sources.map(
    (source, index) => new Projector({ source, target: databases[index]!.connect(source), limits: LIMITS }),
  );
  // Not awaited: a start does not wait for an unreachable database, and here it would wait for the end of the fault.
  for (const projector of projectors) void projector.start();
  // Runs read nothing else.
  const views = { listPositions: async () => [] } as unknown as Views;
  return {
    views,
    lag: () => projectors.reduce((sum, { lag }) => sum + lag, 0),
    close: async () => void (await Promise.all(projectors.map((projector) => projector.close()))),
  };
}
