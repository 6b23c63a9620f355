// Places for exports: each asks the database for page after page, so only some run at a time, and nobody keeps the others out by reading slowly.
import { LIMITS, PresageError } from '@presage/protocol';
import { FairPlaces, type Placed } from '@presage/runtime';
import { toRateKey } from '../request-origin.ts';

interface Place extends Placed {
  readonly startMs: number;
  characters: number;
  readonly giveUp: () => void;
}

/** An export younger than this keeps its place whatever its pace: a slow query is not the reader's fault. */
const PROTECTED_MS = 30_000;

export class ExportPlaces {
  readonly #held = new FairPlaces<Place>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * When all are taken, the slowest reader of the address that holds most of them loses its own, or else the slowest of all;
   * throws 503 `overloaded` while all of them are new.
   */
  take(client: string, giveUp: () => void): Place {
    const address = toRateKey(client);
    if (this.#held.size >= LIMITS.exportsAtOnce) this.#free(address);
    const place = { address, startMs: this.#nowMs(), characters: 0, giveUp };
    this.#held.add(place);
    return place;
  }

  leave(place: Place): void {
    this.#held.delete(place);
  }

  #free(newcomer: string): void {
    const nowMs = this.#nowMs();
    const paceOf = ({ characters, startMs }: Place) => characters / Math.max(1, nowMs - startMs);
    const old = this.#held.all().filter(({ startMs }) => nowMs - startMs >= PROTECTED_MS);
    const crowd = this.#held.crowdBefore(newcomer);
    const [slowest] = [...(crowd.length > 0 ? crowd : old)].sort((a, b) => paceOf(a) - paceOf(b));
    if (slowest === undefined) throw new PresageError('overloaded');
    this.leave(slowest);
    slowest.giveUp();
  }
}
