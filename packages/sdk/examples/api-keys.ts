// Registers an API key with the wallet's signature, lists the wallet's keys, and revokes one.
import { createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });

const old = await client.createApiKey({ keyName: 'old bot' });
const current = await client.createApiKey({ keyName: 'new bot' });
export const revoked = await client.revokeApiKey(old.id);
export const { apiKeys } = await client.listApiKeys();
for (const { name, active } of apiKeys) console.log(`${name}: ${active ? 'active' : 'ended'}`);
export const isInUse = apiKeys.some(({ api_key_id, active }) => api_key_id === current.id && active);
