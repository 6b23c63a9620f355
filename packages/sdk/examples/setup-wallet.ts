// Makes a new wallet ready to trade without gas money; the second time there is nothing left to do.
import { createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const account = privateKeyToAccount(generatePrivateKey());
const client = createTradingClient({ url, account });

export const first = await client.setup();
console.log(`done: ${first.done.join(', ')}`);

// Where the service needs API keys, keep first.apiKey and pass it at the next start: a wallet has room for ten.
const { apiKey } = first;
export const second = await createTradingClient({ url, account, ...(apiKey && { apiKey }) }).setup();
console.log(`done again: ${second.done.length}`);
