// Configuration of trusted proxies, and of the header in which they forward the client's address.
import { isIP } from 'node:net';
import type { SettingsReader } from './settings-reader.ts';

export type ForwardedHeader = 'x-forwarded-for' | 'forwarded';

export interface ProxySettings {
  /** IP addresses and prefixes of proxies; headers of other peers are ignored. */
  readonly trusted: readonly string[];
  /** Header that the proxies write. The other one is never read, because a client could forge it. */
  readonly header: ForwardedHeader;
}

export function readProxySettings(read: SettingsReader): ProxySettings {
  const entries = read.list('PRESAGE_TRUSTED_PROXIES');
  for (const entry of entries.filter((each) => !isAddressOrPrefix(each))) {
    read.faults.push(`PRESAGE_TRUSTED_PROXIES: ${entry} is neither an address nor a prefix such as 10.0.0.0/8`);
  }
  const header = read.choice('PRESAGE_FORWARDED_HEADER', ['x-forwarded-for', 'forwarded'], 'x-forwarded-for');
  return { trusted: entries.filter(isAddressOrPrefix), header };
}

export function isAddressOrPrefix(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}
