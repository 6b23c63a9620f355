// Resolves a market: propose after it expires, settle after the dispute window, redeem the winnings.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { chains } = await client.getConfig();
const chain_id = chains[0]?.chainId ?? 0;

// Only the sandbox creates markets on demand and moves the clock.
const sandbox = createSandboxClient({ url });
const { id: marketId } = await sandbox.createMarket({ question: 'Does it end well?', expiresIn: 600 });
await sandbox.fund(client.address, '10');
await (await client.split(marketId, '10')).wait();

await sandbox.advanceTime(601);
await (await client.proposeResolution(marketId, 'YES')).wait();
await sandbox.advanceTime(7_201);
await (await client.settleMarket(marketId)).wait();

export const resolution = await client.getResolution(marketId);
export const { claimable } = await client.listClaimable(client.address, { chain_id });
export const claimData = await client.getClaimData(client.address, { chain_id, markets: [marketId] });

export const { transactions, totalPayout } = await client.redeemAll();
for (const transaction of transactions) await transaction.wait();
console.log(`${resolution.status}: redeemed ${totalPayout} units in ${transactions.length} transaction`);

export const { pendingClaims } = await client.listPendingClaims();
export const { failedClaims } = await client.listFailedClaims();
export const { balance } = await client.balances();
