// How often one address, one key and one wallet may ask; shown in headers, refused with 429 and the seconds to wait.
import { LIMITS, PresageError } from '@presage/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toRateKey } from './client-address.ts';
import { type Draw, TokenBuckets } from './token-buckets.ts';

const { readsPerSecond, writesPerSecond, burstFactor, positionSyncsPerMinute } = LIMITS.rates;

/** Probes are exempt: refusing one would restart a healthy service. */
const FREE = new Set(['/health', '/ready', '/metrics']);
const SYNC_ROUTE = '/api/v1/positions/:market/sync';

export interface RateLimitOptions {
  readonly wallMs?: (() => number) | undefined;
  /** Number of nodes that share a caller's limit: each allows its part. */
  readonly gateways?: (() => number) | undefined;
}

class RateLimits {
  readonly #wallMs: () => number;
  readonly #gateways: () => number;
  readonly #reads = new TokenBuckets({ perSecond: readsPerSecond, burst: readsPerSecond * burstFactor });
  readonly #writes = new TokenBuckets({ perSecond: writesPerSecond, burst: writesPerSecond * burstFactor });
  readonly #syncs = new TokenBuckets({ perSecond: positionSyncsPerMinute / 60, burst: positionSyncsPerMinute });

  constructor({ wallMs = Date.now, gateways = () => 1 }: RateLimitOptions) {
    this.#wallMs = wallMs;
    this.#gateways = gateways;
  }

  chargeAddress(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? '';
    if (FREE.has(route)) return;
    const name = `ip ${toRateKey(request.address)}`;
    this.#charge(this.#bucketsOf(request), [name], reply);
    if (route === SYNC_ROUTE) this.#charge(this.#syncs, [name], reply);
  }

  /** Counts by token only: anybody could name another's wallet in a body and use up its limit. */
  chargeCaller(request: FastifyRequest, reply: FastifyReply): void {
    const { caller } = request;
    if (caller === undefined) return;
    this.#charge(this.#bucketsOf(request), [`key ${caller.keyId}`, `wallet ${caller.owner}`], reply);
  }

  #bucketsOf({ method }: FastifyRequest): TokenBuckets {
    return method === 'GET' || method === 'HEAD' ? this.#reads : this.#writes;
  }

  #charge(buckets: TokenBuckets, names: readonly string[], reply: FastifyReply): void {
    for (const name of names) {
      const draw = buckets.take(name, this.#wallMs(), this.#gateways());
      setLimitHeaders(reply, draw);
      if (draw.isTaken) continue;
      reply.header('Retry-After', draw.waitSeconds);
      throw new PresageError('rate_limited', { retryAfterSeconds: draw.waitSeconds, limit: draw.limit });
    }
  }
}

/** The headers show the bucket with the fewest requests left. */
function setLimitHeaders(reply: FastifyReply, { limit, remaining, waitSeconds }: Draw): void {
  const shown = reply.getHeader('RateLimit-Remaining');
  if (shown !== undefined && Number(shown) <= remaining) return;
  reply.headers({ 'RateLimit-Limit': limit, 'RateLimit-Remaining': remaining, 'RateLimit-Reset': waitSeconds });
}

/** Checked before the body is read, and again once the token has identified the caller. */
export function limitRates(server: FastifyInstance, options: RateLimitOptions = {}): void {
  const limits = new RateLimits(options);
  server.addHook('onRequest', (request, reply, next) => {
    limits.chargeAddress(request, reply);
    next();
  });
  server.addHook('preParsing', (request, reply, payload, next) => {
    limits.chargeCaller(request, reply);
    next(null, payload);
  });
}
