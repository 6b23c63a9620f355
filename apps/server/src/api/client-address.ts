// Whose request it is: the address of the connection or, behind proxies that are trusted, the one they say they had it from.
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { LIMITS } from '@presage/protocol';
import type { ForwardedHeader, ProxySettings } from '../config/proxy-settings.ts';

interface Peer {
  readonly address: string;
  readonly isTrusted: boolean;
}

/** Cache size: the same client or proxy sends many requests. The whole cache is dropped when it is full. */
const PEERS_REMEMBERED = 1_000;

export class ClientAddresses {
  readonly #trusted: BlockList;
  readonly #header: ForwardedHeader;
  readonly #peers = new Map<string, Peer>();

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

  /** The first address, from the nearest hop backwards, that is no trusted proxy: everything before it could be forged. */
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

  #peer(text = ''): Peer {
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

/** The key of rate limits: an IPv6 customer has at least a /64 and could use each of its addresses once. */
export function toRateKey(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${expand(address).slice(0, 4).join(':')}::/64`;
}

function toBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** `for=192.0.2.1`, `for="[2001:db8::1]:4711"`; an obfuscated name is no address. */
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

/** Eight groups without leading zeros. */
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
