// Reads the service and one market: no wallet, no key.
import { createPublicClient } from '@presage/sdk';

const client = createPublicClient({ url: process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080' });

export const { service, chains } = await client.getConfig();
export const { now } = await client.getTime();
export const { dependencies } = await client.getStatus();

export const { markets } = await client.listMarkets({ status: 'open', kind: 'standard', limit: 10 });
const [first] = markets;
if (first === undefined) throw new Error('no market is open');

export const market = await client.getMarket(first.id);
export const book = await client.getOrderbook(market.id, { outcome: 'YES' });
export const { cost, fee, averagePrice, worstPrice } = await client.quote(market.id, { side: 'buy', size: '10' });
export const { trades } = await client.listTrades(market.id);
export const { totalVolume, lastPrice } = await client.getMarketStatistics(market.id);
export const { topHolders } = await client.getHolders(market.id);
export const { activity } = await client.getMarketActivity(market.id);
export const { candles } = await client.getCandles(market.id, { outcome: 'YES', interval: '5m' });
export const { total_volume } = await client.getPlatformStatistics();

console.log(
  `${service}: ${market.question} ${book.bids.length} bids, ${book.asks.length} asks, ${trades.length} trades`,
);
