// Buys an outcome of an event the cheapest way, which is at times NO of all the others.
import { createSandboxClient, createTradingClient, formatAmount } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const connect = () => createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const [client, seller] = [connect(), connect()];

// Only the sandbox creates events on demand.
const sandbox = createSandboxClient({ url });
const outcomes = ['Red', 'Green', 'Blue'];
const event = await sandbox.createEvent({ question: 'Which colour is cheapest?', outcomes });
for (const { address } of [client, seller]) await sandbox.fund(address, '100');
await seller.setup();
const [red, green, blue] = event.outcomes.map(({ marketId }) => marketId) as [string, string, string];
await seller.placeOrders([
  { marketId: red, side: 'sell', price: '0.4', size: '10' },
  { marketId: green, side: 'sell', outcome: 'NO', price: '0.65', size: '10' },
  { marketId: blue, side: 'sell', outcome: 'NO', price: '0.7', size: '10' },
]);

// NO of green and of blue cost 1.35 together and come to a dollar and YES of red: five cents less than YES of red.
export const quote = await client.quoteEvent(event.id, { index: 0, size: '10' });
export const total = formatAmount(quote.converted?.averagePrice ?? 0);

await client.setup();
const before = BigInt((await client.balances()).balance);
const { conversion } = await client.buyOutcome(event.id, { index: 0, size: '10', price: '0.36' });
await conversion?.wait();
export const spent = before - BigInt((await client.balances()).balance);
export const yes = Number((await client.syncPosition(red, client.address)).yesShares);
console.log(`${yes} YES of red for ${spent} units, ${total} a share`);
