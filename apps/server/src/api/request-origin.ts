// Determines the origin of a request: the client's address, from trusted proxies, and whether a foreign page sent it.
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { LIMITS, PresageError } from '@presage/protocol';
import { isLoopback } from '@presage/runtime/node';
import type { ForwardedHeader, ProxySettings } from '../config/proxy-settings.ts';
import { missingField } from './bodies.ts';
import type { RawRequest } from './http/exchange.ts';
import type { HttpReply } from './http/reply.ts';
import type { HttpRequest } from './http/request.ts';

/** Settings without proxies: no forwarding header is trusted. */
export const NO_PROXIES: ProxySettings = { trusted: [], header: 'x-forwarded-for' };

/** Origin of a request. */
export interface RequestOrigin {
  readonly address: string;
  /** Whether the other end of the connection was a trusted proxy. */
  readonly isForwarded: boolean;
}

/** Cache size, since the same client or proxy sends many requests. A full cache is dropped as a whole. */
const PEERS_REMEMBERED = 1_000;

export class ClientAddresses {
  readonly #trusted: BlockList;
  readonly #header: ForwardedHeader;
  readonly #peers = new Map<string, { readonly address: string; readonly isTrusted: boolean }>();

  constructor({ trusted, header }: ProxySettings) {
    this.#trusted = toBlockList(trusted);
    this.#header = header;
  }

  isTrusted(address: string): boolean {
    const plain = toPlainAddress(address);
    return plain !== undefined && this.#trusted.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  }

  /** Whether the other end of the connection is a trusted proxy. */
  isTrustedPeer(peer: string | undefined): boolean {
    return this.#peer(peer).isTrusted;
  }

  originOf({ socket, headers }: Pick<RawRequest, 'socket' | 'headers'>): RequestOrigin {
    const peer = socket.remoteAddress;
    return { address: this.of(peer, headers), isForwarded: this.isTrustedPeer(peer) };
  }

  /** Client's address: the first one, from the nearest hop backwards, that is no trusted proxy. Everything before it could be forged. */
  of(peer: string | undefined, headers: IncomingHttpHeaders): string {
    const { address: nearest, isTrusted } = this.#peer(peer);
    let address = nearest;
    if (!isTrusted) return address;
    for (const hop of this.#hops(headers)) {
      const next = toPlainAddress(hop);
      if (next === undefined) return address;
      address = next;
      if (!this.isTrusted(address)) return address;
    }
    return address;
  }

  #peer(text = '') {
    const known = this.#peers.get(text);
    if (known !== undefined) return known;
    const address = toPlainAddress(text) ?? 'unknown';
    const peer = { address, isTrusted: this.isTrusted(address) };
    if (this.#peers.size >= PEERS_REMEMBERED) this.#peers.clear();
    this.#peers.set(text, peer);
    return peer;
  }

  /** Forwarded addresses, nearest first. */
  #hops(headers: IncomingHttpHeaders): string[] {
    const value = headers[this.#header];
    const text = Array.isArray(value) ? value.join(',') : value;
    if (text === undefined) return [];
    const parts = text.split(',').slice(-LIMITS.proxyHops).reverse();
    return this.#header === 'forwarded' ? parts.map(forOf) : parts.map((part) => part.trim());
  }
}

/** Rate limit key of an address; for IPv6 its /64, since a customer has at least that and could use each address once. */
export function toRateKey(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${expand(address).slice(0, 4).join(':')}::/64`;
}

export function toBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Address of a Forwarded element: `for=192.0.2.1`, `for="[2001:db8::1]:4711"`. An obfuscated name is no address. */
function forOf(element: string): string {
  const pair = element.split(';').find((part) => /^\s*for=/i.test(part));
  return (pair ?? '')
    .replace(/^\s*for=/i, '')
    .trim()
    .replace(/^"|"$/g, '');
}

/** The address without port, brackets and zone, and IPv4-mapped IPv6 as IPv4; undefined if `text` is no address. */
function toPlainAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1];
  const bare = (bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')).replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1] ?? bare;
  return isIP(mapped) === 0 ? undefined : mapped;
}

/** Expands an IPv6 address to eight groups without leading zeros. */
function expand(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').flatMap(toGroups));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...gap, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}

function toGroups(group: string): string[] {
  if (!group.includes('.')) return [group];
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
  return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
}

const METHODS = 'GET, HEAD, POST, DELETE';
const EXPOSED =
  'X-Request-Id, Idempotent-Replayed, Retry-After, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ' +
  'Presage-Position';

/** Headers that helmet sets, as alternating names and values; without a content policy, since the page has its own. */
export const SAFETY_HEADERS: readonly string[] = [
  ...['cross-origin-opener-policy', 'same-origin'],
  ...['cross-origin-resource-policy', 'same-origin'],
  ...['origin-agent-cluster', '?1'],
  ...['referrer-policy', 'no-referrer'],
  ...['strict-transport-security', 'max-age=31536000; includeSubDomains'],
  ...['x-content-type-options', 'nosniff'],
  ...['x-dns-prefetch-control', 'off'],
  ...['x-download-options', 'noopen'],
  ...['x-frame-options', 'SAMEORIGIN'],
  ...['x-permitted-cross-domain-policies', 'none'],
  ...['x-xss-protection', '0'],
  ...['access-control-expose-headers', EXPOSED],
];

/** Origins of foreign pages that may write; any page may read. With `none`, foreign pages may not even read. */
export type ForeignPages = readonly string[] | '*' | 'none';

export function allowOrigin(request: HttpRequest, reply: HttpReply, origins: ForeignPages): void {
  const { origin } = request.headers;
  if (origin !== undefined && mayRead(request, origin, origins)) reply.header('access-control-allow-origin', origin);
}

function mayRead({ method, headers }: HttpRequest, origin: string, origins: ForeignPages): boolean {
  if (origins === 'none') return false;
  const wanted = headers['access-control-request-method'] ?? method;
  return origins === '*' || wanted === 'GET' || wanted === 'HEAD' || origins.includes(origin);
}

/** Answers a preflight. Runs before a token is required, since browsers send none with preflights. */
export function answerPreflight({ headers }: HttpRequest, reply: HttpReply): void {
  const field = ['Origin', 'Access-Control-Request-Method'].find((name) => headers[name.toLowerCase()] === undefined);
  if (field !== undefined) throw missingField(field, 'a header of the request: OPTIONS answers preflights of browsers');
  reply.header('access-control-allow-methods', METHODS).header('vary', 'Origin, Access-Control-Request-Headers');
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  reply.code(204).header('content-length', '0').send();
}

/** Rules that accept or refuse requests by origin and host, where no tokens are required. */
export interface PageRules {
  /** Origins of pages that may write, besides the service's own. */
  readonly origins: readonly string[] | '*';
  /** Host names of the service, besides addresses, `localhost` and names without a dot. */
  readonly hosts: readonly string[];
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Cache of accepted hosts per set of rules; nearly every request names the same one. */
const LET_THROUGH = new WeakMap<PageRules, Set<string>>();
const HOSTS_REMEMBERED = 100;

/** Refuses foreign hosts and pages; behind a trusted proxy, uses the forwarded host. */
export function refuseForeign(request: HttpRequest, isForwarded: boolean, rules: PageRules): void {
  const forwarded = isForwarded ? request.headers['x-forwarded-host'] : undefined;
  const named = String(forwarded ?? request.headers.host ?? '');
  const host = named.split(',').at(-1)?.trim() || undefined;
  refuseForeignHost(host, rules);
  refuseForeignPage(request, host, rules);
}

/**
 * Refuses foreign host names. A page can point a name of its own at this machine (DNS rebinding), and its requests then look like
 * those of our page. An address cannot be redirected, and a name without a dot cannot be registered: both are accepted.
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

/** Refuses writes of foreign pages. A client without an Origin header is no page: curl, bots, the SDK in Node. */
function refuseForeignPage({ method, headers }: HttpRequest, host: string | undefined, { origins }: PageRules): void {
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
