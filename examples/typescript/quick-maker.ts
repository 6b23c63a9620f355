// A market maker for 15-minute markets: quotes each window, redeems what it won, and goes on with the next.
//
//     npx tsx examples/typescript/quick-maker.ts [url] [windows]
//
// The key comes from PRESAGE_BOT_KEY. Without a number of windows it never ends.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSandboxClient,
  createTradingClient,
  type OrderParams,
  type OrderSubmissionBody,
  PresageApiError,
  PresageTransactionError,
} from '@presage/sdk';
import { privateKeyToAccount } from 'viem/accounts';
import { outlast, say } from './making/outlast.ts';

const [url = 'http://127.0.0.1:8080', windows = '0'] = process.argv.slice(2);
// viem refuses what is no key.
const key = (process.env.PRESAGE_BOT_KEY ?? `0x${'a7'.repeat(32)}`) as `0x${string}`;
const client = createTradingClient({ url, account: privateKeyToAccount(key) });

const ASSET = 'BTC';
const QUOTE = { size: '10', outcome: 'YES' } as const;
const FUNDS = '1000';
const POLL_MS = 300;
/** A window is decided a few seconds after its end. */
const DECIDED_POLLS = 100;

/** What an order is refused for when the service was out of reach until its window was over. */
const LATE: ReadonlySet<string> = new Set(['market_closed', 'expiration_too_soon']);

async function activeMarket() {
  for (;;) {
    const answer = await outlast(() => client.getQuickMarket(ASSET));
    if (answer.active) return answer.quickMarket;
    await sleep(POLL_MS);
  }
}

/** Signed once: however often it is sent, it is one order. */
async function place(order: OrderParams): Promise<void> {
  let signed: OrderSubmissionBody | undefined;
  const onSigned = (body: OrderSubmissionBody) => {
    signed = body;
  };
  try {
    await outlast(() => (signed ? client.sendSignedOrder(signed) : client.placeOrder(order, { onSigned })));
  } catch (error) {
    if (!(error instanceof PresageApiError && LATE.has(error.code))) throw error;
    say('late', { market: order.marketId, code: error.code });
  }
}

/** Everything that is decided; answers what it pays. What cannot be claimed now is claimed after the next window. */
async function claim(): Promise<number> {
  try {
    const { transactions, totalPayout } = await outlast(() => client.redeemAll());
    for (const transaction of transactions) await transaction.wait();
    return Number(totalPayout);
  } catch (error) {
    if (!(error instanceof PresageApiError || error instanceof PresageTransactionError)) throw error;
    say('unclaimed', { error: error.message });
    return 0;
  }
}

async function isDecided(marketId: string): Promise<boolean> {
  for (let poll = 0; poll < DECIDED_POLLS; poll++) {
    if ((await outlast(() => client.getMarket(marketId))).resolved) return true;
    await sleep(POLL_MS);
  }
  return false;
}

async function runWindow(): Promise<void> {
  const { marketId, endTime } = await activeMarket();
  // Only this market's orders: a maker of several markets must not cancel them all.
  await outlast(() => client.cancelAll({ marketId }));
  await place({ ...QUOTE, marketId, side: 'buy', price: '0.45' });
  await place({ ...QUOTE, marketId, side: 'sell', price: '0.55' });
  say('quoting', { market: marketId, end: endTime });
  // The service's clock: a sandbox may travel in time.
  while ((await outlast(() => client.getTime())).now < endTime) await sleep(POLL_MS);
  say('claimed', { market: marketId, paid: (await isDecided(marketId)) ? await claim() : 0 });
}

const { sandbox } = await outlast(() => client.getConfig());
if (sandbox) await outlast(() => createSandboxClient({ url }).fund(client.address, FUNDS));
await outlast(() => client.setup());
// What an earlier run won and did not claim.
say('started', { wallet: client.address, paid: await claim() });
let done = 0;
while (Number(windows) === 0 || done < Number(windows)) {
  await runWindow();
  done++;
}
say('done', { windows: done });
