// Places several orders in one request, arms the dead-man switch, and cancels everything.
import { createTradingClient, PlacedOrder } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets[0]?.id ?? '';

// Unless it is called again within a minute, all orders of this wallet are cancelled.
export const { expiresAt } = await client.heartbeat(60);

const quote = { marketId, size: '5', postOnly: true } as const;
export const results = await client.placeOrders([
  { ...quote, side: 'buy', price: '0.02' },
  { ...quote, side: 'sell', price: '0.98' },
  { ...quote, side: 'sell', price: '0.99' },
]);
for (const result of results) {
  console.log(result instanceof PlacedOrder ? `rests: ${result.orderHash}` : `refused: ${result.code}`);
}

// Both or neither: one that cannot be placed keeps the other out as well.
export const pair = await client.placeOrdersTogether([
  { ...quote, side: 'buy', price: '0.03' },
  { ...quote, side: 'sell', price: '0.97' },
]);

const [first] = results;
if (first instanceof PlacedOrder) await client.cancel(first.orderHash);
export const { cancelled } = await client.cancelAll({ marketId });
await client.heartbeat(0);
