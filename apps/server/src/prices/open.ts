// Opens the prices: their files, their sources in order of preference, and the rules.

import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import type { PriceSource } from './ports.ts';
import { PriceRing } from './price-ring.ts';
import { Prices, type PricesOptions } from './prices.ts';
import { PythSource } from './pyth-source.ts';
import { BINANCE, COINBASE, type SocketDialect } from './socket-dialects.ts';
import { SocketSource } from './socket-source.ts';

export interface OpenPricesOptions extends Pick<PricesOptions, 'nowMs' | 'log'> {
  /** Settings; the last twenty minutes are stored in the data directory. */
  readonly config: Pick<Config, 'prices' | 'profile' | 'dataDir'>;
  readonly wallMs?: () => number;
  /** Runs before each connection to the primary. */
  readonly beforeConnect?: () => Promise<void>;
}

export async function openPrices(options: OpenPricesOptions): Promise<Prices> {
  const { config, nowMs, wallMs = Date.now, log } = options;
  const dir = join(config.dataDir, 'prices');
  const assets = await Promise.all(
    config.prices.assets.map(async ({ asset }) => {
      const ring = await PriceRing.open(join(dir, `${asset.toLowerCase()}.ring`), asset);
      return { asset, ring, prices: await ring.load() };
    }),
  );
  const prices = new Prices({ assets, allowsSimulated: config.profile === 'sandbox', nowMs, wallMs, log });
  const primary = createPrimary(options, prices);
  prices.start([...(primary ? [primary] : []), ...createFallbacks(options, prices)], primary);
  return prices;
}

function createPrimary({ config, beforeConnect, log }: OpenPricesOptions, prices: Prices): PythSource | undefined {
  const { pythUrl: url, pythKey: key, assets } = config.prices;
  if (url === undefined) return undefined;
  const [onQuote, onTrouble] = [prices.take, createSeldomWarning('pyth', log)];
  return new PythSource({
    url,
    assets,
    ...(key && { key }),
    ...(beforeConnect && { beforeConnect }),
    onQuote,
    onTrouble,
  });
}

function createFallbacks({ config, nowMs, wallMs = Date.now, log }: OpenPricesOptions, prices: Prices): PriceSource[] {
  const { coinbaseUrl, binanceUrl, assets } = config.prices;
  const create = (dialect: SocketDialect, url: string | undefined) => {
    if (url === undefined) return [];
    const [offsetMs, onTrouble] = [() => nowMs() - wallMs(), createSeldomWarning(dialect.name, log)];
    return [new SocketSource({ dialect, url, assets, offsetMs, onQuote: prices.take, onTrouble })];
  };
  return [...create(COINBASE, coinbaseUrl), ...create(BINANCE, binanceUrl)];
}

const WARN_EVERY_MS = 30_000;

/** Rate-limited warning, since a broken source fails many times a second. */
function createSeldomWarning(source: string, log: Log): (error: unknown) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - lastMs < WARN_EVERY_MS) return;
    lastMs = performance.now();
    log.warn({ source, error: String(error) }, 'price source failed');
  };
}
