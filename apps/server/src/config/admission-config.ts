// Configuration of admission: the operator's hook, limits of wallets, and blocked places.
import { isAddressOrPrefix } from './proxy-settings.ts';
import type { SettingName } from './setting-names.ts';
import type { SettingsReader } from './settings-reader.ts';

/** Upper bounds by name; amounts in millionths. */
type NamedLimits = Readonly<Record<string, bigint>>;

const LIMIT_NAMES = ['openOrders', 'position', 'dailyVolume'];

export function readAdmissionConfig(read: SettingsReader) {
  return {
    hook: readHook(read),
    walletLimits: readLimits(read, 'PRESAGE_WALLET_LIMITS'),
    marketLimits: readLimits(read, 'PRESAGE_MARKET_LIMITS'),
    blocks: readOriginBlocks(read),
  };
}

/** Settings of the hook; undefined if none is set. */
function readHook(read: SettingsReader) {
  const target = read.optional('PRESAGE_ADMISSION_HOOK');
  const timeoutMs = read.integer('PRESAGE_ADMISSION_HOOK_TIMEOUT_MS', [10, 30_000], 2_000);
  const seconds = read.integer('PRESAGE_ADMISSION_HOOK_SECONDS', [0, 86_400], 300);
  const onFailure = read.choice('PRESAGE_ADMISSION_HOOK_FAILURE', ['refuse', 'admit'], 'refuse');
  if (target === undefined) return undefined;
  if (/^[a-z]+:\/\//i.test(target) && !/^https?:\/\//.test(target)) {
    read.faults.push('PRESAGE_ADMISSION_HOOK: use an http or https URL, or the path of a module');
  } else if (/^https?:/.test(target)) read.checkHttpUrl('PRESAGE_ADMISSION_HOOK', target);
  return { url: target, timeoutMs, seconds, onFailure };
}

/** Reads limits such as `openOrders=100,position=5000000000,dailyVolume=1000000000`. */
function readLimits(read: SettingsReader, name: SettingName): NamedLimits {
  const limits: Record<string, bigint> = {};
  for (const entry of read.list(name)) {
    const [limit = '', value = ''] = entry.split('=');
    if (LIMIT_NAMES.includes(limit) && /^\d{1,30}$/.test(value)) limits[limit] = BigInt(value);
    else read.faults.push(`${name}: "${entry}": write NAME=NUMBER with some of ${LIMIT_NAMES.join(', ')}`);
  }
  return limits;
}

export interface OriginBlockSettings {
  /** Header in which a trusted proxy writes the client's country. */
  readonly countryHeader: string | undefined;
  /** Country codes of two capital letters, as in ISO 3166. */
  readonly countries: readonly string[];
  /** IP addresses and prefixes. */
  readonly addresses: readonly string[];
}

function readOriginBlocks(read: SettingsReader): OriginBlockSettings {
  const countries = read.list('PRESAGE_BLOCKED_COUNTRIES').map((country) => country.toUpperCase());
  const addresses = read.list('PRESAGE_BLOCKED_ADDRESSES');
  const countryHeader = read.optional('PRESAGE_COUNTRY_HEADER')?.toLowerCase();
  for (const country of countries.filter((each) => !/^[A-Z]{2}$/.test(each))) {
    read.faults.push(`PRESAGE_BLOCKED_COUNTRIES: ${country} is no country; write two letters such as US`);
  }
  for (const entry of addresses.filter((each) => !isAddressOrPrefix(each))) {
    read.faults.push(`PRESAGE_BLOCKED_ADDRESSES: ${entry} is neither an address nor a prefix such as 10.0.0.0/8`);
  }
  if (countries.length > 0 && (countryHeader === undefined || read.list('PRESAGE_TRUSTED_PROXIES').length === 0)) {
    read.faults.push(
      'PRESAGE_BLOCKED_COUNTRIES: set PRESAGE_TRUSTED_PROXIES, and in PRESAGE_COUNTRY_HEADER the header in which they write the country',
    );
  }
  return { countryHeader, countries, addresses: addresses.filter(isAddressOrPrefix) };
}
