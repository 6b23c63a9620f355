// Takes the pictures of docs/screenshots from a fresh sandbox with its demo maker: `npm run record:pictures`, or `-- event` for those with such a name.
// `-- demo` is the animation.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createTradingClient, type Market } from '@presage/sdk';
import { QUICK_MARKETS, SeededRandom, waitFor } from '@presage/testkit';
import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { TestBrowser } from './browser.ts';
import { openScreen, seeLoaded, TIMEOUT } from './page-actions.ts';
import { recordAnimation } from './record-animation.ts';
import { WebSandbox } from './web-sandbox.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
const [WIDE, PHONE, ANIMATED] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 1360, height: 980 },
];
/** Lives of the market that is decided, and of its proposal. */
const [MARKET_SECONDS, DISPUTE_SECONDS] = [3_600, 7_200];
const TRADERS = ['ada', 'ben', 'cleo', 'dan', 'eva'];
const ROUNDS = 14;
const ROUND_SECONDS = 1_800;

/** A part of the pictures' names; all when absent. */
const wanted = process.argv[2] ?? '';
const random = new SeededRandom(31);
const sandbox = await WebSandbox.open({ ...QUICK_MARKETS, PRESAGE_DEMO: 'on' });
const browser = await TestBrowser.open();
try {
  const key = generatePrivateKey();
  const decided = await prepare(key);
  await takeAll(key, decided);
} finally {
  await browser.close();
  await sandbox.close();
}
// The browser is the process's own, and keeps it alive.
process.exit();

/** Trades over some hours, a market that is decided, and a wallet that won in it. Answers the decided market. */
async function prepare(key: `0x${string}`): Promise<Market> {
  const wallet = createTradingClient({ url: sandbox.url, account: privateKeyToAccount(key) });
  await sandbox.controls.fund(wallet.address, '1000');
  await wallet.setup();
  const decided = await sandbox.newMarket('Will the first block of the day be full?', MARKET_SECONDS);
  await sandbox.quote(decided.id);
  await (await wallet.placeOrder({ marketId: decided.id, side: 'buy', price: '55c', size: '60' })).waitForSettlement();
  const { markets } = await sandbox.reader.listMarkets({ status: 'open', kind: 'standard' });
  const others = markets.filter(({ id }) => id !== decided.id);
  for (let round = 0; round < ROUNDS; round++) {
    await seeQuotes(others);
    for (const { id } of others) await trade(random.pick(TRADERS), id);
    await sandbox.controls.advanceTime(ROUND_SECONDS);
  }
  await seeQuotes(others);
  for (const { id } of others.slice(0, 3)) {
    const order = { marketId: id, side: 'buy', price: '95c', size: '40', timeInForce: 'IOC' } as const;
    // The maker may be replacing its quotes at that moment.
    await waitFor('the wallet buys', async () => (await wallet.placeOrder(order)).trades.length > 0);
  }
  const oracle = sandbox.client('proposer');
  await (await oracle.proposeResolution(decided.id, 'YES')).wait();
  await sandbox.controls.advanceTime(DISPUTE_SECONDS + 1);
  await (await oracle.settleMarket(decided.id)).wait();
  await seeQuotes(others);
  return decided;
}

/** The demo maker's quotes end when time is moved; it renews them. */
async function seeQuotes(markets: readonly Market[]): Promise<void> {
  const isQuoted = async ({ id }: Market) => {
    const { bestAskPrice, bestBidPrice } = await sandbox.reader.getMarket(id);
    return Number(bestAskPrice) > 0 && Number(bestBidPrice) > 0;
  };
  await waitFor('the maker quotes', async () => (await Promise.all(markets.map(isQuoted))).every(Boolean));
}

/** Buys at what the book offers at this moment. */
async function trade(name: string, marketId: string): Promise<void> {
  const outcome = random.pick(['YES', 'NO'] as const);
  const { asks = [] } = await sandbox.reader.getOrderbook(marketId, { outcome });
  const best = asks[0];
  if (best === undefined) return;
  const size = `${random.int(5, 40)}`;
  await sandbox
    .client(name)
    .placeOrder({ marketId, outcome, side: 'buy', price: BigInt(best.price), size, timeInForce: 'IOC' });
}

async function takeAll(key: string, decided: Market): Promise<void> {
  const localStorage = [
    { name: 'presage.demo-wallet', value: key },
    { name: 'presage.wallet-kind', value: 'demo' },
  ];
  const storageState = { cookies: [], origins: [{ origin: sandbox.url, localStorage }] };
  const { page } = await browser.visit(sandbox.url, { storageState, viewport: WIDE });
  const { markets } = await sandbox.reader.listMarkets({ status: 'open', kind: 'standard' });
  const plain = markets.filter(({ event }) => event === undefined);
  const [first] = plain.toSorted((a, b) => Number(b.volume) - Number(a.volume));
  const market = `/m/${first?.id}`;
  const { events = [] } = await sandbox.reader.listEvents({ status: 'open' });
  const event = `/e/${events[0]?.id}`;
  const wallet = `/wallet/${privateKeyToAccount(key as `0x${string}`).address}`;
  for (const [name, path, options] of [
    ['landing', '/', {}],
    ['trade', market, {}],
    ['trade-light', market, { isLight: true }],
    ['event', event, {}],
    ['quick', '/quick/BTC', {}],
    ['resolved', `/m/${decided.id}`, {}],
    ['portfolio', '/portfolio', {}],
    ['leaderboard', '/leaderboard', {}],
    ['wallet', wallet, {}],
    ['proof', '/proof', { isWhole: true }],
    ['operator', '/operator', { isWhole: true }],
    ['landing-phone', '/', { isPhone: true }],
    ['trade-phone', market, { isPhone: true }],
    ['event-phone', event, { isPhone: true }],
    ['quick-phone', '/quick/BTC', { isPhone: true }],
    ['leaderboard-phone', '/leaderboard', { isPhone: true }],
  ] as const) {
    if (name.includes(wanted)) await take(page, name, path, options);
  }
  const distance = ({ bestAskPrice }: Market) => Math.abs(Number(bestAskPrice) - 500_000);
  const [undecided] = plain.toSorted((a, b) => distance(a) - distance(b));
  if (!'demo'.includes(wanted) || undecided === undefined) return;
  const small = await browser.visit(sandbox.url, { storageState, viewport: ANIMATED, deviceScaleFactor: 0.75 });
  await writeFile(`${FOLDER}demo.png`, await recordAnimation(small.page, sandbox, undecided.id));
  console.log('demo');
}

interface Look {
  readonly isLight?: boolean;
  readonly isPhone?: boolean;
  readonly isWhole?: boolean;
}

async function take(
  page: Page,
  name: string,
  path: string,
  { isLight, isPhone, isWhole = false }: Look,
): Promise<void> {
  await page.setViewportSize(isPhone ? PHONE : WIDE);
  await page.emulateMedia({ colorScheme: isLight ? 'light' : 'dark' });
  await openScreen(page, path);
  await seeLoaded(page);
  await page.locator('[data-testid=conn][data-state=live]').waitFor({ ...TIMEOUT, state: 'attached' });
  await page
    .getByTestId('toast')
    .first()
    .waitFor({ ...TIMEOUT, state: 'detached' });
  // Charts are drawn a frame after their data came.
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: `${FOLDER}${name}.png`, fullPage: isWhole });
  console.log(name);
}
