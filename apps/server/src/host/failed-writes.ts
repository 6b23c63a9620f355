// Partitions whose writes failed: closed until their journal is open again, and in doubt until it takes a record.
import { backoffMs } from '@presage/runtime';

interface Failed {
  /** Failures since the last record became durable. */
  readonly failures: number;
  /** Time at which the journal was open again; undefined while it is not. */
  readonly reopenedMs?: number;
}

/** Time in doubt after a reopening without another failure: as long as the pause before the reopening. */
const DOUBT = { firstMs: 100, longestMs: 5_000 };

export class FailedWrites {
  readonly #failed = new Map<string, Failed>();

  /** Whether the journal of any partition is still closed. */
  get isClosed(): boolean {
    return [...this.#failed.values()].some(({ reopenedMs }) => reopenedMs === undefined);
  }

  /**
   * Whether any partition is closed or in doubt: a database that refuses only records still opens every time. Without new writes the doubt
   * ends by itself, since a balancer that reacts to it sends nothing that could end it.
   */
  isDoubted(): boolean {
    const nowMs = performance.now();
    const isDoubted = ({ failures, reopenedMs = nowMs }: Failed) => nowMs - reopenedMs < backoffMs(DOUBT, failures - 1);
    return [...this.#failed.values()].some(isDoubted);
  }

  onFailed(partition: string): void {
    const { failures = 0 } = this.#failed.get(partition) ?? {};
    this.#failed.set(partition, { failures: failures + 1 });
  }

  onReopened(partition: string): void {
    const { failures = 1 } = this.#failed.get(partition) ?? {};
    this.#failed.set(partition, { failures, reopenedMs: performance.now() });
  }

  onDurable(partition: string): void {
    this.#failed.delete(partition);
  }
}
