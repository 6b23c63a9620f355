// Reads events, which are questions with several outcomes, and follows one of them.
import { createPublicClient, createSandboxClient, createTradingClient, formatAmount } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createPublicClient({ url });

export const { events } = await client.listEvents({ status: 'open' });
for (const { question, outcomes } of events) console.log(question, outcomes.map(({ name }) => name).join(', '));

// Only the sandbox creates events on demand.
const outcomes = ['Red', 'Green', 'Blue'];
const { id: eventId } = await createSandboxClient({ url }).createEvent({ question: 'Which colour is next?', outcomes });

const watch = client.watchEvent(eventId);
await watch.ready;
const trader = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const marketId = (await client.getEvent(eventId)).outcomes[1]?.marketId ?? '';
await createSandboxClient({ url }).fund(trader.address, '10');
await trader.setup();
await trader.placeOrder({ marketId, side: 'buy', price: '0.3', size: '10' });

export const kinds: string[] = [];
for await (const change of watch) {
  kinds.push(change.type);
  // The event as it was comes first, then what changes.
  if (change.type === 'outcome') break;
}

const { outcomes: now } = await client.getEvent(eventId);
export const bid = formatAmount(now[1]?.bestBidPrice ?? 0);
console.log(`green is bid at ${bid}`);
