// Whether an address is a loopback address, which cannot be reached from outside this machine.
import { isIP } from 'node:net';

/** Accepts a host as written in a setting or a URL, brackets included. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare.startsWith('::ffff:127.');
}
