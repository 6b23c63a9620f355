// Watches the price of an asset.
import { createPublicClient } from '@presage/sdk';

const client = createPublicClient({ url: process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080' });

export const prices: number[] = [];
for await (const event of client.watchPrice('BTC')) {
  if (event.type === 'gap') continue;
  prices.push(event.data.priceUSD);
  console.log(`${event.data.priceUSD} from ${event.data.source}`);
  if (prices.length === 2) break;
}
