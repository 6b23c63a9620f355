// Places for exports: each asks the database for page after page, so only some run at a time, and nobody keeps the others out by reading slowly.
import { LIMITS, PresageError } from '@presage/protocol';

interface Place {
  readonly startMs: number;
  characters: number;
  readonly giveUp: () => void;
}

/** An export younger than this keeps its place whatever its pace: a slow query is not the reader's fault. */
const PROTECTED_MS = 30_000;

export class ExportPlaces {
  readonly #held = new Set<Place>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** When all are taken, the slowest reader loses its own; throws 503 `overloaded` while all of them are new. */
  take(giveUp: () => void): Place {
    if (this.#held.size >= LIMITS.exportsAtOnce) this.#free();
    const place = { startMs: this.#nowMs(), characters: 0, giveUp };
    this.#held.add(place);
    return place;
  }

  leave(place: Place): void {
    this.#held.delete(place);
  }

  #free(): void {
    const nowMs = this.#nowMs();
    const paceOf = ({ characters, startMs }: Place) => characters / (nowMs - startMs);
    const old = [...this.#held].filter(({ startMs }) => nowMs - startMs >= PROTECTED_MS);
    const [slowest] = old.sort((a, b) => paceOf(a) - paceOf(b));
    if (slowest === undefined) throw new PresageError('overloaded');
    this.leave(slowest);
    slowest.giveUp();
  }
}
