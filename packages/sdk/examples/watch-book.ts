// Watches a book: verified step by step, resumed after a broken connection.
import { createTradingClient, formatAmount } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets[0]?.id ?? '';
await client.placeOrder({ marketId, side: 'buy', price: '0.03', size: '1' });

export const bestBids: string[] = [];
for await (const event of client.watchBook(marketId, { outcome: 'YES' })) {
  if (event.type === 'gap') console.log(`something may have been missed: ${event.reason}`);
  else bestBids.push(formatAmount(event.bids[0]?.price ?? 0));
  if (bestBids.length > 0) break;
}
console.log(`best bid ${bestBids[0]}`);
await client.cancelAll();
