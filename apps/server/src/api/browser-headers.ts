// What every answer tells a browser: which pages may read it, and that it is not to be framed, sniffed or embedded.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, DELETE';
const EXPOSED =
  'X-Request-Id, Idempotent-Replayed, Retry-After, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ' +
  'Presage-Position';

/** As helmet sets them, without a policy for content: the page has its own. */
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

/** Everybody may read; who may write from another page is the operator's choice. */
export class BrowserHeaders {
  readonly #origins: readonly string[] | '*';

  constructor(origins: readonly string[] | '*') {
    this.#origins = origins;
  }

  /** A question of a browser before it writes is answered here, before anybody asks for a token. */
  register(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, next) => {
      this.#write(request, reply);
      if (request.method === 'OPTIONS') answerPreflight(request, reply);
      else next();
    });
    // So that such questions have a route of their own; the hook has answered by then.
    server.options('*', (_request, reply) => reply.send());
  }

  /** By its own loop: it is done for every request, and a library that reads its options each time took longer than the rest of the way in. */
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
