// Places an order, keeps its receipt, and checks the whole exchange with it: nobody was passed over, and the order stands where it was said.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { verifyExchange } from '@presage/sdk/verify';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const market = await createSandboxClient({ url }).createMarket({ question: 'Does anyone check?' });

const { orderHash, receipt } = await client.placeOrder({ marketId: market.id, side: 'buy', price: '0.10', size: '1' });

export const { sound, violation, counts } = await verifyExchange({
  url,
  receipts: receipt === undefined ? [] : [{ orderHash, receipt }],
});
console.log(
  sound ? `sound: ${counts.orders} orders, ${counts.trades} trades` : `${violation?.meaning}: ${violation?.detail}`,
);

// What the operator says about itself; the lines above are why it need not be believed.
export const { chains } = await client.getSolvency();
export const { heads } = await client.getJournalHead();
export const { anchors } = await client.listAnchors({ limit: 1 });
await client.cancelAll();
