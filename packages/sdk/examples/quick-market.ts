// Will the price be higher in 15 minutes? Reads the open quick market of an asset and the prices it is decided by.
import { createPublicClient } from '@presage/sdk';

const client = createPublicClient({ url: process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080' });

export const current = await client.getQuickMarket('BTC');
export const price = await client.getPrice('BTC');
if (current.active) {
  const { startPrice, endTime } = current.quickMarket;
  console.log(`from ${startPrice}, now ${price.price}, decided at ${new Date(endTime * 1_000).toISOString()}`);
}

export const { markets } = await client.listQuickMarkets('BTC');
export const { prices } = await client.getPriceHistory('BTC');

// Watches which market is open; the first message arrives immediately.
export const followed: boolean[] = [];
for await (const event of client.watchQuickMarket('BTC')) {
  if (event.type === 'quick_market') followed.push(event.data.active);
  if (followed.length > 0) break;
}
