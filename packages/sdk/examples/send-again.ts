// Keeps an order as it was signed, so that after a lost answer or a crash the very same one is sent again, never a second.
import { createTradingClient, type OrderSubmissionBody } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets.at(-1)?.id ?? '';

// A bot would write it to a file here, before anything is sent.
const kept: OrderSubmissionBody[] = [];
const onSigned = (order: OrderSubmissionBody) => kept.push(order);
const first = await client.placeOrder({ marketId, side: 'buy', price: '0.02', size: '5' }, { onSigned });

for (const order of kept) {
  const again = await client.sendSignedOrder(order);
  console.log(`${again.orderHash} is ${again.orderHash === first.orderHash ? 'the same order' : 'another one'}`);
}
export const open = (await client.listOrders(client.address)).orders;
await client.cancelAll();
