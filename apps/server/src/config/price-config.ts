// Configuration of prices: the assets, and the sources of their prices.
import { type AssetFeeds, KNOWN_FEEDS, parseAsset, parseBytes32 } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { SettingsReader } from './settings-reader.ts';

export interface PriceConfig {
  /** Assets with quick markets, in configured order. */
  readonly assets: readonly AssetFeeds[];
  /** Base URL of the primary; missing only in a sandbox without one. */
  readonly pythUrl?: string;
  readonly pythKey?: string;
  readonly coinbaseUrl?: string;
  readonly binanceUrl?: string;
}

const LIVE_URLS = {
  pythUrl: 'https://hermes.pyth.network',
  coinbaseUrl: 'wss://ws-feed.exchange.coinbase.com',
  binanceUrl: 'wss://stream.binance.com:9443',
} as const;
const NAMES = {
  pythUrl: ['PRESAGE_PYTH_URL', /^https?:\/\//, 'an http or https URL'],
  coinbaseUrl: ['PRESAGE_COINBASE_URL', /^wss?:\/\//, 'a ws or wss URL, or off'],
  binanceUrl: ['PRESAGE_BINANCE_URL', /^wss?:\/\//, 'a ws or wss URL, or off'],
} as const;

export function readPriceConfig(read: SettingsReader, profile: 'sandbox' | 'live'): PriceConfig {
  const pythKey = read.optional('PRESAGE_PYTH_KEY');
  return {
    assets: readAssets(read),
    ...readUrl(read, 'pythUrl', profile),
    ...readUrl(read, 'coinbaseUrl', profile),
    ...readUrl(read, 'binanceUrl', profile),
    ...(pythKey !== undefined && { pythKey }),
  };
}

/** A sandbox contacts outside services only if it is configured to. */
function readUrl(read: SettingsReader, field: keyof typeof LIVE_URLS, profile: string): Partial<PriceConfig> {
  const [name, pattern, expected] = NAMES[field];
  const url = read.optional(name) ?? (profile === 'live' ? LIVE_URLS[field] : undefined);
  if (url === undefined || (url === 'off' && field !== 'pythUrl')) return {};
  // No secrets in the URL, which is published with its prices.
  if (/^\w+:\/\/[^/]*@/.test(url))
    read.faults.push(`${name}: leave out the password; a key goes into PRESAGE_PYTH_KEY`);
  else if (pattern.test(url) && URL.canParse(url)) return { [field]: url.replace(/\/+$/, '') };
  else read.faults.push(`${name}=${url}: use ${expected}`);
  return {};
}

function readAssets(read: SettingsReader): AssetFeeds[] {
  const known = new Map([...KNOWN_FEEDS, ...readOwnFeeds(read)].map((feeds) => [feeds.asset, feeds]));
  const named = read.text('PRESAGE_QUICK_ASSETS', 'BTC,ETH');
  const names = named === 'off' ? [] : named.split(',');
  const wanted = new Set(names.map((name) => name.trim().toUpperCase()).filter((name) => name !== ''));
  return [...wanted].flatMap((name) => {
    const feeds = known.get(name);
    if (feeds !== undefined) return [feeds];
    read.faults.push(`PRESAGE_QUICK_ASSETS: ${name} is unknown; name its feeds in PRESAGE_PRICE_FEEDS`);
    return [];
  });
}

const FEEDS_EXPECTED =
  'give JSON such as {"PEPE":{"pyth":"0x<64 hex digits>","coinbase":"PEPE-USD","binance":"PEPEUSDT"}}';

/** Feeds for further assets, or replacements for known ones. */
function readOwnFeeds(read: SettingsReader): AssetFeeds[] {
  const text = read.optional('PRESAGE_PRICE_FEEDS');
  if (text === undefined) return [];
  try {
    const entries: [string, UncheckedFeeds][] = Object.entries(JSON.parse(text));
    return entries.map(([name, feeds]) => toFeeds(name, feeds));
  } catch (error) {
    read.faults.push(`PRESAGE_PRICE_FEEDS: ${messageOf(error)}; ${FEEDS_EXPECTED}`);
    return [];
  }
}

type UncheckedFeeds = Partial<Record<keyof AssetFeeds, unknown>>;

function toFeeds(name: string, { pyth, coinbase, binance }: UncheckedFeeds): AssetFeeds {
  const [asset, feedId] = [parseAsset(name), parseBytes32(pyth)];
  if (asset === undefined) throw new Error(`${name} is no symbol of 1 to 16 letters and digits`);
  if (feedId === undefined) throw new Error(`${name}.pyth is no feed id`);
  return {
    asset,
    pyth: feedId,
    ...(typeof coinbase === 'string' && { coinbase }),
    ...(typeof binance === 'string' && { binance: binance.toUpperCase() }),
  };
}
