// Batches that follow each other before a block is mined, and fills with traders who do not pay: what leans on what, who is blamed, and that nobody else loses anything.
import { testStablecoinAbi } from '@presage/contracts';
import {
  isLongRun,
  SeededRandom,
  seedFromEnv,
  walletOf as testWallet,
  type WireSubmission,
  waitFor,
} from '@presage/testkit';
import { encodeFunctionData, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fundAndApprove, OnChainWallet } from './approvals.ts';
import { Exchange } from './exchange.ts';
import type { BookBody, FailedBody, MarketBody, OrderBody } from './wire.ts';

const walletOf = (name: string): PrivateKeyAccount => testWallet(`pipeline ${name}`);
/** Nothing but these tests makes blocks. */
const ENV = {
  PRESAGE_SANDBOX_AUTOFUND: 'off',
  PRESAGE_COLLATERAL_CHECK: 'off',
  PRESAGE_QUICK_ASSETS: 'off',
};
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
});
afterEach(() => holdMining(false));
afterAll(() => exchange?.close());

async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(exchange.sandbox.rpcUrl, { method: 'POST', headers, body });
  return ((await response.json()) as { result: unknown }).result;
}

async function holdMining(held: boolean): Promise<void> {
  await rpc('presage_faults', [{ mining: held ? 'held' : 'auto' }]);
}

/** A trade at half a dollar a share. */
async function trade(market: MarketBody, buyer: PrivateKeyAccount, seller: PrivateKeyAccount, size: string) {
  const terms = { market: market.id, price: '0.5', size } as const;
  await exchange.client.order(seller, { ...terms, side: 'sell' });
  const { trades, orderHash } = await exchange.client.order(buyer, { ...terms, side: 'buy' });
  return { tradeId: trades[0]!.tradeId, orderHash };
}

function submitted(tradeId: string): Promise<string> {
  return waitFor(`trade ${tradeId} is submitted`, async () => {
    const pending = (await exchange.pending()).find((each) => each.tradeId === tradeId);
    return pending?.stage === 'submitted' && pending.txHash;
  });
}

describe('batches of the same wallets', () => {
  it('are sent one behind the other while none is mined, and all settle', async () => {
    const [maker, ...takers] = ['maker', 'a', 'b', 'c', 'd'].map(walletOf) as [
      PrivateKeyAccount,
      ...PrivateKeyAccount[],
    ];
    for (const wallet of [maker, ...takers]) await fundAndApprove(exchange, wallet);
    const market = await exchange.newMarket('Does a maker wait for blocks?');
    await holdMining(true);
    const transactions = new Set<string>();
    for (const taker of takers) {
      const { tradeId } = await trade(market, taker, maker, '3');
      transactions.add(await submitted(tradeId));
    }
    expect(transactions.size).toBe(takers.length);
    await holdMining(false);
    await exchange.settled();
    expect((await exchange.trades(market.id)).map(({ status }) => status)).toEqual(takers.map(() => 'confirmed'));
    for (const wallet of [maker, ...takers]) {
      const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
      expect(reported).toEqual(onChain);
    }
  });

  it('survive a reorganisation and a kill while several are in flight', async () => {
    const [maker, taker] = [walletOf('killed maker'), walletOf('killed taker')];
    for (const wallet of [maker, taker]) await fundAndApprove(exchange, wallet);
    const market = await exchange.newMarket('Do batches in flight survive?');
    await holdMining(true);
    for (let count = 0; count < 3; count++) await submitted((await trade(market, taker, maker, '2')).tradeId);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: ENV });
    await exchange.settled();
    const sixShares = async () => (await exchange.chain.shares(market, taker.address)).yes === 6_000_000n;
    expect(await sixShares()).toBe(true);
    // The newest block is that of the batches; the market is older.
    await exchange.chain.reorg(1, 'drop');
    await waitFor('the batches are mined again', sixShares);
    await exchange.settled();
    expect((await exchange.trades(market.id)).map(({ status }) => status)).toEqual(Array(3).fill('confirmed'));
  });
});

describe('more trades than one transaction has gas for', () => {
  it('are split by gas, each transaction within the cap of the chain, and all settle', async () => {
    const [maker, taker] = [walletOf('large maker'), walletOf('large taker')];
    for (const wallet of [maker, taker]) await fundAndApprove(exchange, wallet);
    const market = await exchange.newMarket('Does a large burst fit?');
    const terms = { market: market.id, price: '0.5', side: 'sell', size: '1' } as const;
    for (let count = 0; count < 120; count++) await exchange.client.order(maker, terms);
    const sweep = await exchange.client.order(taker, { ...terms, side: 'buy', size: '120' });
    expect(sweep.matches).toBe(120);
    await exchange.settled();
    expect((await exchange.chain.shares(market, taker.address)).yes).toBe(120_000_000n);
    const hashes = new Set((await exchange.trades(market.id)).map(({ txHash }) => txHash));
    for (const hash of hashes) {
      const { gas } = (await rpc('eth_getTransactionByHash', [hash])) as { gas: Hex };
      expect(Number(gas)).toBeLessThanOrEqual(2 ** 24);
    }
  });
});

describe('a batch behind one that fails in part', () => {
  it('has no party at fault, and is sent again on its own', async () => {
    const [ann, ben, cas] = ['lost ann', 'lost ben', 'lost cas'].map(walletOf) as [
      PrivateKeyAccount,
      PrivateKeyAccount,
      PrivateKeyAccount,
    ];
    for (const wallet of [ann, ben, cas]) await fundAndApprove(exchange, wallet);
    const market = await exchange.newMarket('Who is blamed for a predecessor?');
    const { chain } = await OnChainWallet.open(exchange, ann);
    const asAnn = (data: Hex) => rpc('presage_sendAs', [{ from: ann.address, to: chain.stablecoin.address, data }]);
    const money = await exchange.chain.money(ann.address);
    const transfer = (to: Hex, amount: bigint) =>
      encodeFunctionData({ abi: testStablecoinAbi, functionName: 'transfer', args: [to, amount] });
    await holdMining(true);
    // Waits in the pool in front of both batches, where no simulation sees it.
    await asAnn(transfer(ben.address, money));
    const first = await trade(market, ann, ben, '10');
    await submitted(first.tradeId);
    const second = await trade(market, cas, ann, '4');
    await submitted(second.tradeId);
    const back = transfer(ann.address, money);
    await rpc('presage_sendAs', [{ from: ben.address, to: chain.stablecoin.address, data: back }]);
    await holdMining(false);
    await exchange.settled();
    const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
    expect(failedTrades.filter(({ marketId }) => marketId === market.id)).toMatchObject([
      { tradeId: first.tradeId, faultParty: 'buyer', buyerAddress: ann.address },
    ]);
    expect(await exchange.trades(market.id)).toMatchObject([{ tradeId: second.tradeId, status: 'confirmed' }]);
    expect(await exchange.chain.shares(market, cas.address)).toEqual({ yes: 4_000_000n, no: 0n });
  });
});

const FILLS = isLongRun ? 10_000 : 60;
const TRADERS = isLongRun ? 100 : 12;
/** One in twenty; of few fills too few would fail. */
const SABOTEURS = isLongRun ? TRADERS / 20 : 2;
const PRICES = ['0.48', '0.5', '0.52'];
const WRITERS = 8;
const random = new SeededRandom(seedFromEnv(Date.now()));
const traders = Array.from({ length: TRADERS }, (_, index) => testWallet(`sabotage ${index}`));
const saboteurs = new Set(traders.slice(0, SABOTEURS).map(({ address }) => address as string));
const placed: { hash: string; submission: WireSubmission }[] = [];
let market: MarketBody;
let fills = 0;

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
    market = await exchange.newMarket('Do they pay?');
    await inTurns(traders, (trader) => fundAndApprove(exchange, trader));
    const writer = async (): Promise<void> => {
      while (fills < FILLS) await placeOne();
    };
    await Promise.all([sabotage(), ...Array.from({ length: WRITERS }, writer)]);
    await waitFor('none is pending', async () => (await exchange.pending()).length === 0, { timeoutMs: 1_800_000 });
  });

  it('blame for what failed only those who did it', async () => {
    const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
    const ofThese = failedTrades.filter(({ marketId }) => marketId === market.id);
    expect(ofThese.length).toBeGreaterThan(0);
    for (const { faultParty, buyerAddress, sellerAddress } of ofThese) {
      expect(['buyer', 'seller', 'both']).toContain(faultParty);
      const blamed =
        faultParty === 'buyer'
          ? [buyerAddress]
          : faultParty === 'seller'
            ? [sellerAddress]
            : [buyerAddress, sellerAddress];
      for (const address of blamed) expect(saboteurs).toContain(address);
    }
    process.stderr.write(`${fills} fills, ${placed.length} orders, ${ofThese.length} failed fills listed\n`);
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
