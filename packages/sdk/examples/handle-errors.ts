// Errors by type: invalid input, a refusal with its remedy, an unreachable service.
import {
  createPublicClient,
  createTradingClient,
  PresageApiError,
  PresageConnectionError,
  PresageInputError,
} from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });

export const messages: string[] = [];
async function collect(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof PresageInputError) messages.push(`${error.field} must be ${error.expected}`);
    else if (error instanceof PresageApiError) messages.push(`${error.code}: ${error.remedy} (${error.requestId})`);
    else if (error instanceof PresageConnectionError) messages.push('the service is out of reach');
    else throw error;
  }
}

const marketId = `0x${'ab'.repeat(32)}`;
await collect(client.placeOrder({ marketId, side: 'buy', price: '0.5555555', size: '1' }));
await collect(client.placeOrder({ marketId, side: 'buy', price: '0.55', size: '1' }));
await collect(createPublicClient({ url: 'http://127.0.0.1:1', retries: 0 }).getTime());
await collect(client.listMarkets({}, { signal: AbortSignal.timeout(30_000) }));
for (const line of messages) console.log(line);
