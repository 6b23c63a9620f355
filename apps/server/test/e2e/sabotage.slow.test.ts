// Many fills, some of them with traders who never meant to pay or take their means away meanwhile: nobody else loses anything by it.
import { isLongRun, SeededRandom, seedFromEnv, type WireSubmission, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundAndApprove, OnChainWallet } from './approvals.ts';
import { Exchange } from './exchange.ts';
import type { BookBody, FailedBody, MarketBody, OrderBody } from './wire.ts';

const FILLS = isLongRun ? 10_000 : 60;
const TRADERS = isLongRun ? 100 : 12;
/** One in twenty; of few fills too few would fail. */
const SABOTEURS = isLongRun ? TRADERS / 20 : 2;
const PRICES = ['0.48', '0.5', '0.52'];
const WRITERS = 8;
const random = new SeededRandom(seedFromEnv(Date.now()));
const traders = Array.from({ length: TRADERS }, (_, index) => walletOf(`sabotage ${index}`));
const saboteurs = new Set(traders.slice(0, SABOTEURS).map(({ address }) => address as string));
const placed: { hash: string; submission: WireSubmission }[] = [];
let exchange: Exchange;
let market: MarketBody;
let fills = 0;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off' } });
  market = await exchange.newMarket('Do they pay?');
});
afterAll(() => exchange?.close());

async function inTurns<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += WRITERS)
    await Promise.all(items.slice(from, from + WRITERS).map(use));
}

async function placeOne(): Promise<void> {
  const trader = random.pick(traders);
  const side = random.chance(0.5) ? 'buy' : 'sell';
  const terms = { market: market.id, side, price: random.pick(PRICES), size: String(random.int(1, 3)) } as const;
  const submission = await exchange.client.signOrder(trader, terms);
  const { status, body } = await exchange.client.post<{ orderHash: string; matches: number }>(
    '/api/v1/orders',
    submission,
  );
  expect(status).toBe(200);
  placed.push({ hash: body.orderHash, submission });
  fills += body.matches;
}

/** Allowances and money go and come back, in the middle of everything. */
async function sabotage(): Promise<void> {
  while (fills < FILLS) {
    for (const address of saboteurs) {
      const wallet = await OnChainWallet.open(exchange, { address: address as `0x${string}` });
      await wallet.approve(0n);
      await wallet.approveShares(false);
    }
    const goal = Math.min(FILLS, fills + FILLS / 4);
    await waitFor('some more fills', () => fills >= goal, { timeoutMs: 3_600_000 });
    for (const address of saboteurs) {
      const wallet = await OnChainWallet.open(exchange, { address: address as `0x${string}` });
      await wallet.approve(10n ** 9n);
    }
  }
}

describe(`${FILLS} fills with ${SABOTEURS} of ${TRADERS} traders who do not pay, seed ${random.seed}`, () => {
  it('come to an end: each is confirmed or failed', async () => {
    await inTurns(traders, (trader) => fundAndApprove(exchange, trader));
    const writer = async (): Promise<void> => {
      while (fills < FILLS) await placeOne();
    };
    await Promise.all([sabotage(), ...Array.from({ length: WRITERS }, writer)]);
    await waitFor('none is pending', async () => (await exchange.pending()).length === 0, { timeoutMs: 1_800_000 });
  });

  it('blame for what failed only those who did it', async () => {
    const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
    expect(failedTrades.length).toBeGreaterThan(0);
    for (const { faultParty, buyerAddress, sellerAddress } of failedTrades) {
      expect(['buyer', 'seller', 'both']).toContain(faultParty);
      const blamed =
        faultParty === 'buyer'
          ? [buyerAddress]
          : faultParty === 'seller'
            ? [sellerAddress]
            : [buyerAddress, sellerAddress];
      for (const address of blamed) expect(saboteurs).toContain(address);
    }
    process.stderr.write(`${fills} fills, ${placed.length} orders, ${failedTrades.length} failed fills listed\n`);
  });

  it('leave every innocent order filled on chain or on the book with all of the rest', async () => {
    let rest = 0;
    let settled = 0;
    await inTurns(placed, async ({ hash, submission }) => {
      const order = await exchange.client.read<OrderBody>(`/api/v1/orders/${hash}`);
      // A fill that counts as failed must not have happened, whoever is to blame.
      expect(await exchange.chain.filled(submission.order), hash).toBe(BigInt(order.filledSize));
      if (saboteurs.has(submission.order.trader)) return;
      expect(['open', 'partially_filled', 'filled'], `${hash} is ${order.status}`).toContain(order.status);
      expect(Number(order.filledSize) + Number(order.remainingSize)).toBe(submission.order.size);
      rest += Number(order.remainingSize);
      settled += Number(order.filledSize);
    });
    expect(settled).toBeGreaterThan(0);
    const { bids, asks } = await exchange.client.read<BookBody>(`/api/v1/orderbook/${market.id}?outcome=YES`);
    expect((bids[0]?.price ?? 0) < (asks[0]?.price ?? 1_000_000)).toBe(true);
    const onBook = [...bids, ...asks].reduce((total, { size }) => total + Number(size), 0);
    expect(onBook).toBeGreaterThanOrEqual(rest);
  });

  it('leave everybody, saboteurs too, with the shares on chain that the service says', async () => {
    const wrong: object[] = [];
    await inTurns(traders, async (trader) => {
      const { reported, onChain } = await exchange.sharesBothWays(market, trader);
      if (reported.yes === onChain.yes && reported.no === onChain.no) return;
      wrong.push({ trader: trader.address, isSaboteur: saboteurs.has(trader.address), reported, onChain });
    });
    expect(wrong).toEqual([]);
  });
});
