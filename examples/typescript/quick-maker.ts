// A market maker for 15-minute markets: quotes each window, redeems its winnings, and continues with the next.
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
// viem refuses an invalid key.
const key = (process.env.PRESAGE_BOT_KEY ?? `0x${'a7'.repeat(32)}`) as `0x${string}`;
const client = createTradingClient({ url, account: privateKeyToAccount(key) });

const ASSET = 'BTC';
const QUOTE = { size: '10', outcome: 'YES' } as const;
const FUNDS = '1000';
const POLL_MS = 300;
/** Polls for a result: a window is decided a few seconds after its end. */
const DECIDED_POLLS = 100;

/** Refusals of an order if the service was unreachable until the window was over. */
const LATE: ReadonlySet<string> = new Set(['market_closed', 'expiration_too_soon']);

async function activeMarket() {
  for (;;) {
    const answer = await outlast(() => client.getQuickMarket(ASSET));
    if (answer.active) return answer.quickMarket;
    await sleep(POLL_MS);
  }
}

/** Signs the order once, so that sending it again never places a second one. */
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

/** Claims all decided markets, and returns the payout. A failed claim is tried again after the next window. */
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
  // Cancels only this market's orders, so that a maker may quote several markets.
  await outlast(() => client.cancelAll({ marketId }));
  await place({ ...QUOTE, marketId, side: 'buy', price: '0.45' });
  await place({ ...QUOTE, marketId, side: 'sell', price: '0.55' });
  say('quoting', { market: marketId, end: endTime });
  // Uses the service's clock, which a sandbox can move.
  while ((await outlast(() => client.getTime())).now < endTime) await sleep(POLL_MS);
  say('claimed', { market: marketId, paid: (await isDecided(marketId)) ? await claim() : 0 });
}

const { sandbox } = await outlast(() => client.getConfig());
if (sandbox) await outlast(() => createSandboxClient({ url }).fund(client.address, FUNDS));
await outlast(() => client.setup());
// Claims the winnings that an earlier run left.
say('started', { wallet: client.address, paid: await claim() });
let done = 0;
while (Number(windows) === 0 || done < Number(windows)) {
  await runWindow();
  done++;
}
say('done', { windows: done });
