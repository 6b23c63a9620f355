// Leaves: takes an order back on the chain, stops all others, and takes back what the wallet has allowed and signed.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const sandbox = createSandboxClient({ url });
const { id: marketId } = await sandbox.createMarket({ question: 'Does anybody leave?', expiresIn: 86_400 });
await sandbox.fund(client.address, '100');
await client.setup({ allowance: '50' });

const order = { marketId, side: 'buy', price: '0.10', size: '5' } as const;
await client.placeOrder({ ...order, nonce: 7n });
await (await client.cancelOnChain({ marketId, nonce: 7n })).wait();

await client.placeOrder({ ...order, nonce: 8n });
await (await client.haltTrading()).wait();
await (await client.revokeStablecoin()).wait();
await (await client.approveShares({ approved: false })).wait();
// A signature that somebody may still hold is worthless from here on.
await (await client.invalidateNonce('conditionalTokens')).wait();

const { chains } = await client.getConfig();
export const { settlement } = await client.getApprovals(client.address, { chain_id: chains[0]?.chainId ?? 0 });
console.log(`may take ${settlement.allowance} units, may move shares: ${settlement.sharesApproved}`);

// Whoever comes back.
await (await client.resumeTrading()).wait();
