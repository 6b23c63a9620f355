// Prepares a new wallet for trading without gas; a second call has nothing left to do.
import { createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const account = privateKeyToAccount(generatePrivateKey());
const client = createTradingClient({ url, account });

export const first = await client.setup();
console.log(`done: ${first.done.join(', ')}`);

// Where the service needs API keys, keep first.apiKey and pass it at the next start: a wallet may have ten keys.
const { apiKey } = first;
export const second = await createTradingClient({ url, account, ...(apiKey && { apiKey }) }).setup();
console.log(`done again: ${second.done.length}`);
