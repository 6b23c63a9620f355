// Resolves an event: the market of the outcome that won proposes it, and every winner redeems.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const sandbox = createSandboxClient({ url });
const outcomes = ['Red', 'Green', 'None of them'];
const event = await sandbox.createEvent({ question: 'Which colour wins?', outcomes, expiresIn: 600 });
const [red, green] = event.outcomes.map(({ marketId }) => marketId) as [string, string];
await sandbox.fund(client.address, '20');
await (await client.split(red, '10')).wait();
await (await client.split(green, '10')).wait();

// One proposal decides all outcomes. `HALF` would make the event void: then YES of every outcome pays the same.
await sandbox.advanceTime(601);
await (await client.proposeResolution(green, 'YES')).wait();
await sandbox.advanceTime(7_201);
await (await client.settleMarket(green)).wait();

export const { status, winningIndex } = await client.getEvent(event.id);
// YES of green, and NO of red.
export const { transactions, totalPayout } = await client.redeemAll();
for (const transaction of transactions) await transaction.wait();
console.log(`${status}: ${outcomes[winningIndex ?? 0]}, redeemed ${totalPayout} units`);
