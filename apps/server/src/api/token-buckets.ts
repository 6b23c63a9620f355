// Token buckets by name: each fills at a steady rate up to its burst, and one that is full again is removed.

interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Draw {
  readonly isTaken: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the next token after a refusal, or until the bucket is full after a success. */
  readonly waitSeconds: number;
}

interface Bucket {
  level: number;
  filledMs: number;
}

/** Above this many names full buckets are evicted: an attacker with many addresses must not fill the memory. */
const SWEEP_AT = 10_000;

export class TokenBuckets {
  readonly #rate: BucketRate;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = SWEEP_AT;

  constructor(rate: BucketRate) {
    this.#rate = rate;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** `weight` is the price of one request: the number of nodes, if each counts for itself. */
  take(name: string, nowMs: number, weight = 1): Draw {
    const { perSecond, burst } = this.#rate;
    const bucket = this.#find(name, nowMs);
    const cost = Math.min(weight, burst);
    const isTaken = bucket.level >= cost;
    if (isTaken) bucket.level -= cost;
    const missing = isTaken ? burst - bucket.level : cost - bucket.level;
    const waitSeconds = Math.max(1, Math.ceil(missing / perSecond));
    const inDraws = (level: number) => Math.floor(level / cost);
    return { isTaken, limit: inDraws(burst), remaining: inDraws(bucket.level), waitSeconds };
  }

  #find(name: string, nowMs: number): Bucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) {
      this.#fill(known, nowMs);
      return known;
    }
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(nowMs);
    const fresh = { level: this.#rate.burst, filledMs: nowMs };
    this.#buckets.set(name, fresh);
    return fresh;
  }

  /** A clock that was set back neither fills nor empties a bucket. */
  #fill(bucket: Bucket, nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - bucket.filledMs);
    bucket.level = Math.min(this.#rate.burst, bucket.level + (elapsedMs / 1_000) * this.#rate.perSecond);
    bucket.filledMs = nowMs;
  }

  #sweep(nowMs: number): void {
    for (const [name, bucket] of this.#buckets) {
      this.#fill(bucket, nowMs);
      if (bucket.level >= this.#rate.burst) this.#buckets.delete(name);
    }
    this.#sweepAt = Math.max(SWEEP_AT, this.#buckets.size * 2);
  }
}
