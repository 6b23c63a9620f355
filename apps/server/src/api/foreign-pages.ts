// Keeps the pages of others from using a person's browser to write: the sandbox asks nobody for a token, so it looks where a request comes from.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { PresageError } from '@presage/protocol';
import { isLoopback } from '@presage/runtime/node';

export interface PageRules {
  /** Pages that may write besides the service's own. */
  readonly origins: readonly string[] | '*';
  /** Names that the service is reached by, besides addresses, `localhost` and names without a dot. */
  readonly hosts: readonly string[];
}

interface PageRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The name that it was asked for by. */
  readonly host: string | undefined;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Hosts that were let through, by the rules they were judged with: nearly every request names the same one. */
const LET_THROUGH = new WeakMap<PageRules, Set<string>>();
const HOSTS_REMEMBERED = 100;

/**
 * A page can point a name of its own at this machine (DNS rebinding), and then its requests look like those of our page. An
 * address cannot be pointed anywhere, and a name without a dot cannot be registered: those are let through.
 */
export function refuseForeignHost(host: string | undefined, rules: PageRules): void {
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

/** Who sends no Origin is no page: curl, bots, the SDK in Node. */
export function refuseForeignPage({ method, headers, host }: PageRequest, { origins }: PageRules): void {
  const { origin } = headers;
  if (SAFE.has(method) || origin === undefined || origins === '*' || origins.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()) return;
  throw new PresageError('origin_not_allowed', { origin: origin.slice(0, 200) });
}

/** In lower case, without port, brackets and the dot of a full name. */
function hostnameOf(host: string): string | undefined {
  if (/[/@?#\\\s]/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
