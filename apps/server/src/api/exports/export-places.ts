// Limits concurrent exports, which query the database page after page; slow readers lose their places, so that they block nobody.
import { LIMITS, PresageError } from '@presage/protocol';
import { FairPlaces, type Placed } from '@presage/runtime';
import { toRateKey } from '../request-origin.ts';

interface Place extends Placed {
  readonly startMs: number;
  characters: number;
  readonly giveUp: () => void;
}

/** Age up to which an export keeps its place at any pace: a slow query is not the reader's fault. */
const PROTECTED_MS = 30_000;

export class ExportPlaces {
  readonly #held = new FairPlaces<Place>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * Takes a place. If none is free, the slowest reader of the address with most places loses its own, or else the slowest of all.
   * Throws 503 `overloaded` while all exports are new.
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
