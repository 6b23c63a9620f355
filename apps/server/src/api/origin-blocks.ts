// Refuses orders from places that the operator blocks: countries named by a trusted proxy, and client addresses.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { PresageError } from '@presage/protocol';
import type { OriginBlockSettings } from '../config/admission-config.ts';
import { toBlockList } from './request-origin.ts';

interface RequestPlace {
  /** Client's address, as named by trusted proxies. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether a trusted proxy forwarded it; a country header from anybody else could be forged. */
  readonly isForwarded: boolean;
}

/** Throws PresageError for an order from a blocked place. */
export type RefuseBlocked = (place: RequestPlace) => void;

/** Builds the check; undefined if nothing is blocked. */
export function blockOrigins(settings: OriginBlockSettings): RefuseBlocked | undefined {
  const { countryHeader, countries, addresses } = settings;
  if (countries.length === 0 && addresses.length === 0) return undefined;
  const blocked = toBlockList(addresses);
  const blockedCountries = new Set(countries);
  return ({ address, headers, isForwarded }) => {
    const family = isIP(address);
    if (family !== 0 && blocked.check(address, family === 6 ? 'ipv6' : 'ipv4')) {
      throw new PresageError('not_admitted', { reason: 'orders from this network address are not taken' });
    }
    const country = isForwarded && countryHeader !== undefined ? headers[countryHeader] : undefined;
    if (blockedCountries.has(String(country).trim().toUpperCase())) {
      throw new PresageError('not_admitted', { reason: `orders from ${country} are not taken` });
    }
  };
}
