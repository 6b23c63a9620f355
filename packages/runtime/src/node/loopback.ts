// Whether an address is of this machine alone: what listens there cannot be reached from outside.
import { isIP } from 'node:net';

/** Accepts a host as written in a setting or a URL, brackets included. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare.startsWith('::ffff:127.');
}
