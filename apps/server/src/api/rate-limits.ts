// Rate limits per address, key and wallet: shown in headers, refused with 429 and the seconds to wait.
import { LIMITS, PresageError } from '@presage/protocol';
import type { HttpReply } from './http/reply.ts';
import type { HttpRequest } from './http/request.ts';
import { toRateKey } from './request-origin.ts';

const { readsPerSecond, writesPerSecond, burstFactor, positionSyncsPerMinute, apiKeysPerHour } = LIMITS.rates;

/** Paths without a limit: refusing a probe would restart a healthy service. */
const FREE = new Set(['/health', '/ready', '/metrics']);
/** Writes with stricter limits, since each costs a call to the chain or a record that is kept for good. */
const RARE: Readonly<Record<string, BucketRate>> = {
  'POST /api/v1/positions/:market/sync': { perSecond: positionSyncsPerMinute / 60, burst: positionSyncsPerMinute },
  'POST /api/v1/api-keys': { perSecond: apiKeysPerHour / 3_600, burst: apiKeysPerHour },
};

interface RateLimitOptions {
  readonly wallMs?: (() => number) | undefined;
  /** Number of nodes that share a caller's limit; each allows its part. */
  readonly gateways?: (() => number) | undefined;
}

/** Both functions throw once the limit is reached, and set headers that tell how much of it is left. */
export interface RateLimits {
  readonly chargeAddress: (request: HttpRequest, reply: HttpReply) => void;
  /** Charges the caller named by a token. A wallet in a body is not trusted: anybody could use up another's limit. */
  readonly chargeCaller: (request: HttpRequest, reply: HttpReply) => void;
}

export function limitRates({ wallMs = Date.now, gateways = () => 1 }: RateLimitOptions): RateLimits {
  const reads = new TokenBuckets({ perSecond: readsPerSecond, burst: readsPerSecond * burstFactor });
  const writes = new TokenBuckets({ perSecond: writesPerSecond, burst: writesPerSecond * burstFactor });
  const rare = new Map(Object.entries(RARE).map(([name, rate]) => [name, new TokenBuckets(rate)]));
  const bucketsOf = ({ method }: HttpRequest) => (method === 'GET' || method === 'HEAD' ? reads : writes);
  const charge = (buckets: TokenBuckets, name: string, reply: HttpReply) => {
    const draw = buckets.take(name, wallMs(), gateways());
    setLimitHeaders(reply, draw);
    if (draw.isTaken) return;
    throw new PresageError('rate_limited', { retryAfterSeconds: draw.waitSeconds, limit: draw.limit });
  };
  return {
    chargeAddress: (request, reply) => {
      const { method, path } = request.route ?? {};
      if (path !== undefined && FREE.has(path)) return;
      const name = `ip ${toRateKey(request.address)}`;
      charge(bucketsOf(request), name, reply);
      const buckets = rare.get(`${method} ${path}`);
      if (buckets !== undefined) charge(buckets, name, reply);
    },
    chargeCaller: (request, reply) => {
      const key = request.caller?.key;
      if (key === undefined) return;
      charge(bucketsOf(request), `key ${key.keyId}`, reply);
      charge(bucketsOf(request), `wallet ${key.owner}`, reply);
    },
  };
}

/** Sets the headers by the bucket with the fewest requests left. */
function setLimitHeaders(reply: HttpReply, { limit, remaining, waitSeconds }: Draw): void {
  const shown = reply.getHeader('RateLimit-Remaining');
  if (shown !== undefined && Number(shown) <= remaining) return;
  reply
    .header('RateLimit-Limit', limit)
    .header('RateLimit-Remaining', remaining)
    .header('RateLimit-Reset', waitSeconds);
}

interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Draw {
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

/** Number of names above which full buckets are evicted: an attacker with many addresses must not fill the memory. */
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

  /** Takes from a bucket. `weight` is the cost of one request: the number of nodes, since each counts on its own. */
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

  /** Refills a bucket; a clock that was set back neither fills nor empties it. */
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
