// Previews an order before it is placed: its fills, its cost, and every reason it would be refused.
import { createTradingClient, formatAmount } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets[0]?.id ?? '';

export const preview = await client.previewOrder({ marketId, side: 'buy', outcome: 'NO', price: '0.4', size: '25' });
for (const { code, error } of preview.errors) console.log(`would be refused: ${code}, ${error}`);
const { filledSize = 0, cost = 0 } = preview.wouldMatch ?? {};
console.log(`would buy ${formatAmount(filledSize)} at once for ${formatAmount(cost)}`);
