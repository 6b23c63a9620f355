// Turns stablecoin into YES and NO shares, and some of them back.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets[0]?.id ?? '';

// The sandbox's faucet; on a live service you bring your own stablecoin.
await createSandboxClient({ url }).fund(client.address, '20');

const split = await client.split(marketId, '12.5');
await split.wait();
const merge = await client.merge(marketId, '2.5');
await merge.wait();

export const { yesShares, noShares } = await client.syncPosition(marketId, client.address);
export const { balance } = await client.balances();
console.log(`${yesShares} YES, ${noShares} NO, ${balance} units left`);
