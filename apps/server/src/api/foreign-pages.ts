// What pages of others may do in a person's browser: which answers they read, and that they write nothing where no token protects it.
import { isIP } from 'node:net';
import { PresageError } from '@presage/protocol';
import { isLoopback } from '@presage/runtime/node';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, DELETE';
const EXPOSED =
  'X-Request-Id, Idempotent-Replayed, Retry-After, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ' +
  'Presage-Position';

/** The headers that helmet sets, without a content policy: the page has its own. */
const SAFETY = [
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['origin-agent-cluster', '?1'],
  ['referrer-policy', 'no-referrer'],
  ['strict-transport-security', 'max-age=31536000; includeSubDomains'],
  ['x-content-type-options', 'nosniff'],
  ['x-dns-prefetch-control', 'off'],
  ['x-download-options', 'noopen'],
  ['x-frame-options', 'SAMEORIGIN'],
  ['x-permitted-cross-domain-policies', 'none'],
  ['x-xss-protection', '0'],
  ['vary', 'Origin'],
  ['access-control-expose-headers', EXPOSED],
] as const;

/** Any page may read; the operator chooses which pages may write. */
export class BrowserHeaders {
  readonly #origins: readonly string[] | '*';

  constructor(origins: readonly string[] | '*') {
    this.#origins = origins;
  }

  /** Answers preflight requests before a token is required. */
  register(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, next) => {
      this.#write(request, reply);
      if (request.method === 'OPTIONS') answerPreflight(request, reply);
      else next();
    });
    // Gives preflight requests a route; the hook has answered them already.
    server.options('*', (_request, reply) => reply.send());
  }

  /** A plain loop, because it runs for every request: a library that reads its options each time took longer than all other hooks. */
  #write(request: FastifyRequest, reply: FastifyReply): void {
    for (const [name, value] of SAFETY) reply.header(name, value);
    const { origin } = request.headers;
    if (origin !== undefined && this.#mayRead(request, origin)) reply.header('access-control-allow-origin', origin);
  }

  #mayRead({ method, headers }: FastifyRequest, origin: string): boolean {
    const wanted = headers['access-control-request-method'] ?? method;
    return this.#origins === '*' || wanted === 'GET' || wanted === 'HEAD' || this.#origins.includes(origin);
  }
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) {
    reply.code(400).type('text/plain').send('Invalid Preflight Request');
    return;
  }
  reply.header('access-control-allow-methods', METHODS).header('vary', 'Origin, Access-Control-Request-Headers');
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  reply.code(204).header('content-length', '0').send();
}

/** Without tokens, requests are accepted or refused by their origin and host. */
export interface PageRules {
  /** Pages that may write besides the service's own. */
  readonly origins: readonly string[] | '*';
  /** Host names of the service, besides addresses, `localhost` and names without a dot. */
  readonly hosts: readonly string[];
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Cache of accepted hosts for each set of rules: nearly every request names the same one. */
const LET_THROUGH = new WeakMap<PageRules, Set<string>>();
const HOSTS_REMEMBERED = 100;

/** Behind a trusted proxy, uses the forwarded host. */
export function refuseForeign(request: FastifyRequest, isForwarded: boolean, rules: PageRules): void {
  const forwarded = isForwarded ? request.headers['x-forwarded-host'] : undefined;
  const named = String(forwarded ?? request.headers.host ?? '');
  const host = named.split(',').at(-1)?.trim() || undefined;
  refuseForeignHost(host, rules);
  refuseForeignPage(request, host, rules);
}

/**
 * A page can point a name of its own at this machine (DNS rebinding), and then its requests look like those of our page. An
 * address cannot be pointed anywhere, and a name without a dot cannot be registered: both are accepted.
 */
function refuseForeignHost(host: string | undefined, rules: PageRules): void {
  if (host === undefined || LET_THROUGH.get(rules)?.has(host)) return;
  const name = hostnameOf(host);
  if (name === undefined || !isOurs(name, rules)) {
    throw new PresageError('host_not_allowed', { host: name ?? host.slice(0, 100) });
  }
  const known = LET_THROUGH.get(rules) ?? new Set();
  if (known.size < HOSTS_REMEMBERED) LET_THROUGH.set(rules, known.add(host));
}

function isOurs(name: string, { hosts, origins }: PageRules): boolean {
  if (isIP(name) !== 0 || !name.includes('.') || isLoopback(name)) return true;
  const named = origins === '*' ? [] : origins.map((origin) => new URL(origin).hostname);
  return [...hosts, ...named].includes(name);
}

/** A client without an Origin header is no page: curl, bots, the SDK in Node. */
function refuseForeignPage(
  { method, headers }: FastifyRequest,
  host: string | undefined,
  { origins }: PageRules,
): void {
  const { origin } = headers;
  if (SAFE.has(method) || origin === undefined || origins === '*' || origins.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()) return;
  throw new PresageError('origin_not_allowed', { origin: origin.slice(0, 200) });
}

/** Host name in lower case, without port, brackets and trailing dot. */
function hostnameOf(host: string): string | undefined {
  if (/[/@?#\\\s]/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
