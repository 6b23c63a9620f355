// Converts NO of two outcomes of an event into a dollar for each pair, and YES of the outcome that is left.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });

// Only the sandbox creates events on demand.
const sandbox = createSandboxClient({ url });
const names = ['Red', 'Green', 'Blue'];
const { id: eventId, outcomes } = await sandbox.createEvent({ question: 'Which colour is last?', outcomes: names });
const [red, green, blue] = outcomes.map(({ marketId }) => marketId) as [string, string, string];

// Ten YES and ten NO of red, and of green.
await sandbox.fund(client.address, '20');
await (await client.split(red, '10')).wait();
await (await client.split(green, '10')).wait();

// At most one of the two can happen, so that ten dollars of NO are certain: they come back now, with YES of blue for the rest.
await (await client.convertPositions(eventId, { indexes: [0, 1], amount: '10' })).wait();

export const { balance } = await client.balances();
const held = await Promise.all([red, green, blue].map((id) => client.syncPosition(id, client.address)));
export const yes = held.map(({ yesShares }) => Number(yesShares));
export const no = held.map(({ noShares }) => Number(noShares));
console.log(`${balance} units back, YES of ${names.join(', ')}: ${yes.join(', ')}`);
