// Whether an address is of this machine alone: what listens there cannot be reached from outside.
import { isIP } from 'node:net';

/** As people write it in a setting or in a URL, brackets allowed. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare.startsWith('::ffff:127.');
}
