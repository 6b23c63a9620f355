// Watches a wallet: its orders, fills, settlements, claims and balance.
import { createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets[0]?.id ?? '';

export const seen: string[] = [];
for await (const event of client.watchUser(client.address)) {
  seen.push(event.type);
  // The first balance comes with the subscription.
  if (event.type === 'balance' && seen.length === 1) {
    await client.placeOrder({ marketId, side: 'buy', price: '0.02', size: '1' });
  }
  // After a gap, read the wallet's state again: changes in between were not sent.
  if (event.type === 'gap') await client.listOrders(client.address);
  if (event.type === 'order') break;
}
await client.cancelAll();
