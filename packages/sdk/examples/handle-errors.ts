// What can go wrong, told apart by type: input that cannot be, a refusal with its remedy, a service out of reach.
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

export const told: string[] = [];
async function tell(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof PresageInputError) told.push(`${error.field} must be ${error.expected}`);
    else if (error instanceof PresageApiError) told.push(`${error.code}: ${error.remedy} (${error.requestId})`);
    else if (error instanceof PresageConnectionError) told.push('the service is out of reach');
    else throw error;
  }
}

const marketId = `0x${'ab'.repeat(32)}`;
await tell(client.placeOrder({ marketId, side: 'buy', price: '0.5555555', size: '1' }));
await tell(client.placeOrder({ marketId, side: 'buy', price: '0.55', size: '1' }));
await tell(createPublicClient({ url: 'http://127.0.0.1:1', retries: 0 }).getTime());
await tell(client.listMarkets({}, { signal: AbortSignal.timeout(30_000) }));
for (const line of told) console.log(line);
