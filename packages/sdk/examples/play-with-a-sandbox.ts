// What only the sandbox offers: test money, markets, time travel, pinned prices, disputes and faults on demand.
import { createPublicClient, createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const sandbox = createSandboxClient({ url });
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });

await sandbox.fund(client.address, '100');
export const { balance } = await client.balances();

export const market = await sandbox.createMarket({ question: 'Is it going to be disputed?', expiresIn: 300 });
await sandbox.advanceTime(301);
await (await client.proposeResolution(market.id, 'NO')).wait();
await sandbox.dispute(market.id);
await sandbox.arbitrate(market.id, true);
export const { status, winningOutcome } = await createPublicClient({ url }).getResolution(market.id);

await sandbox.pinPrice('BTC', 100_000);
await sandbox.pinPrice('BTC', null);
await sandbox.setFaults({ chain: 'slow' });
await sandbox.setFaults({ chain: 'up' });
console.log(`${balance} units, ${market.question} ${status}: ${winningOutcome === 1 ? 'NO' : 'YES'}`);
