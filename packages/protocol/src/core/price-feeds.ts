// The assets of quick markets: their names at each price source, and the decimals of their prices.
import type { Bytes32 } from './ids.ts';

/** Decimals of every price of an asset, inside and on the wire; prices are integers. */
export const PRICE_DECIMALS = 8;
/** A higher price would no longer be a safe integer. */
export const MAX_ASSET_PRICE = Number.MAX_SAFE_INTEGER;

/** The primary source first, then the fallbacks in the order they are asked. */
export const PRICE_SOURCES = ['pyth', 'coinbase', 'binance'] as const;
export type PriceSourceName = (typeof PRICE_SOURCES)[number];

export interface AssetFeeds {
  /** Symbol in upper case. */
  readonly asset: string;
  readonly pyth: Bytes32;
  /** Product of Coinbase Exchange; absent if it lists none. */
  readonly coinbase?: string;
  /** Symbol at Binance, in upper case. */
  readonly binance?: string;
}

/** Feed ids are the same on every chain that Pyth serves. */
export const KNOWN_FEEDS: readonly AssetFeeds[] = [
  feeds('BTC', '0xe62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43'),
  feeds('ETH', '0xff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace'),
  feeds('SOL', '0xef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'),
  feeds('XRP', '0xec5d399846a9209f3fe5881d70aae9268c94339ff9817e8d18ff19fa05eea1c8'),
  feeds('DOGE', '0xdcef50dd0a4cd2dcc17e45df1676dcb336a11a61c69df7a0299b0150c672d25c'),
  feeds('ADA', '0x2a01deaec9e51a579277b34b122399984d0bbf57e2458a7e42fecd2829867a0d'),
  feeds('AVAX', '0x93da3352f9f1d105fdfe4971cfa80e9dd777bfc5d0f683ebb6e1294b92137bb7'),
  feeds('LINK', '0x8ac0c70fff57e9aefdf5edf44b51d62c2d433653cbb2cf5cc06bb115af04d221'),
  {
    asset: 'BNB',
    pyth: '0x2f95862b045670cd22bee3114c39763a4a08beeb663b145d283c31d7d1101c4f',
    binance: 'BNBUSDT',
  },
];

function feeds(asset: string, pyth: Bytes32): AssetFeeds {
  return { asset, pyth, coinbase: `${asset}-USD`, binance: `${asset}USDT` };
}

const ASSET = /^[A-Z0-9]{1,16}$/;

/** The asset's name in upper case; undefined if the text cannot be a symbol. */
export function parseAsset(text: string): string | undefined {
  const asset = text.toUpperCase();
  return ASSET.test(asset) ? asset : undefined;
}

/** For display only, never for computation. */
export function toPriceUsd(price: number): number {
  return price / 10 ** PRICE_DECIMALS;
}
