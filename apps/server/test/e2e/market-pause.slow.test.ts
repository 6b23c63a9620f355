// A market that is paused on chain: its trades wait and come to no harm, the rest of the exchange goes on, and everybody is told.
import { presageSettlementAbi } from '@presage/contracts';
import { createSandboxClient } from '@presage/sdk';
import { createOperatorClient } from '@presage/sdk/operator';
import { waitFor, walletOf } from '@presage/testkit';
import { encodeFunctionData, type Hex } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { fundAndApprove } from './approvals.ts';
import { Exchange } from './exchange.ts';
import type { FailedBody, MarketBody, OrderBody } from './wire.ts';

const [ann, ben] = [walletOf('pause ann'), walletOf('pause ben')];
const ENV = { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off' };
const owner = testAccount(0).address;
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
  for (const wallet of [ann, ben]) await fundAndApprove(exchange, wallet);
});
afterEach(() => exchange.chain.setFaults({ mining: 'auto' }));
afterAll(() => exchange?.close());

interface PausableMarket extends MarketBody {
  readonly paused?: true;
}

function pauseCall(market: MarketBody, isPaused: boolean): { from: Hex; to: Hex; data: Hex } {
  const args = [market.id as Hex, isPaused] as const;
  const data = encodeFunctionData({ abi: presageSettlementAbi, functionName: 'setMarketPaused', args });
  return { from: owner, to: market.settlementAddress as Hex, data };
}

async function setPaused(market: MarketBody, isPaused: boolean): Promise<void> {
  await exchange.chain.sendAs(pauseCall(market, isPaused));
  await waitFor('the service has seen it', async () => ((await readMarket(market)).paused === true) === isPaused);
}

async function openOperator() {
  const { url } = exchange.client;
  return createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey() });
}

const readMarket = (market: MarketBody) => exchange.client.read<PausableMarket>(`/api/v1/markets/${market.id}`);
const statusesIn = async (market: MarketBody) => (await exchange.trades(market.id)).map(({ status }) => status);

async function trade(market: MarketBody): Promise<{ readonly orderHash: string }> {
  const terms = { market: market.id, price: '0.5', size: '10' } as const;
  const { orderHash } = await exchange.client.order(ann, { ...terms, side: 'sell' });
  await exchange.client.order(ben, { ...terms, side: 'buy' });
  return { orderHash };
}

async function failedIn(market: MarketBody): Promise<FailedBody[]> {
  const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
  return failedTrades.filter(({ marketId }) => marketId === market.id);
}

function settledIn(market: MarketBody): Promise<unknown> {
  return waitFor('its trades are settled', async () => {
    const statuses = await statusesIn(market);
    return statuses.length > 0 && statuses.every((status) => status === 'confirmed');
  });
}

/** The pause is mined before the batch, which was simulated and sent when nobody could know of it. */
async function pauseAheadOfBatch(market: MarketBody): Promise<void> {
  await exchange.chain.setFaults({ mining: 'held' });
  await exchange.chain.postAs(pauseCall(market, true));
  await trade(market);
  await waitFor('the trade is sent', async () => {
    const pending = await exchange.pending();
    return pending.some(({ marketId, stage }) => marketId === market.id && stage === 'submitted');
  });
  await exchange.chain.setFaults({ mining: 'auto' });
  await waitFor('the pause is seen', async () => (await readMarket(market)).paused === true);
}

describe('a market that an operator pauses', () => {
  it('lets no order trade that a failed fill would bring back, before it is resumed', async () => {
    const operator = await openOperator();
    const market = await exchange.newMarket('Does anything come back?');
    const terms = { market: market.id, price: '0.5', size: '10' } as const;
    await exchange.client.post('/sandbox/faults', { chain: 'down' });
    const { orderHash } = await exchange.client.order(ann, { ...terms, side: 'sell' });
    await exchange.client.order(walletOf('pause poor'), { ...terms, side: 'buy' });
    await exchange.client.order(ben, { ...terms, side: 'buy' });
    await operator.pauseMarket(market.id, true);
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
    await waitFor('the failure waits', async () => {
      const { chains } = await operator.listFailures();
      return chains.some(({ reason }) => reason?.includes('takes orders again'));
    });
    const readOrder = () => exchange.client.read<OrderBody>(`/api/v1/orders/${orderHash}`);
    expect(await readOrder()).toMatchObject({ status: 'filled' });
    expect(await failedIn(market)).toEqual([]);
    await operator.pauseMarket(market.id, false);
    await waitFor('the trade has failed', async () => (await failedIn(market)).length === 1);
    await settledIn(market);
    expect(await readOrder()).toMatchObject({ status: 'filled', filledSize: 10_000_000 });
  });
});

describe('a market that is paused on chain', () => {
  it('between simulation and inclusion keeps its trades, blames nobody, stops nobody else, and goes on', async () => {
    const [market, other] = [await exchange.newMarket('Is it paused?'), await exchange.newMarket('Is it not?')];
    await pauseAheadOfBatch(market);
    await trade(other);
    await settledIn(other);
    expect(await failedIn(market)).toEqual([]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 0n, no: 0n });
    expect((await exchange.pending()).map(({ marketId }) => marketId)).toEqual([market.id]);

    await setPaused(market, false);
    await settledIn(market);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 10_000_000n, no: 0n });
    expect(await failedIn(market)).toEqual([]);
  });

  it('refuses orders and takes cancels, tells operators, and is still paused after a kill', async () => {
    const market = await exchange.newMarket('Do orders wait?');
    const order = { market: market.id, side: 'buy', price: '0.4', size: '5' } as const;
    const resting = await exchange.client.order(ann, order);
    await setPaused(market, true);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: ENV });
    const refused = await exchange.client.placeOrder(ann, order);
    expect(refused).toMatchObject({ status: 503, body: { code: 'market_paused' } });
    expect(await exchange.client.read<OrderBody>(`/api/v1/orders/${resting.orderHash}`)).toMatchObject({
      status: 'open',
    });
    const operator = await openOperator();
    const { pausedMarkets } = await operator.getTradingControls();
    expect(pausedMarkets).toMatchObject([{ marketId: market.id, onChain: true }]);
    const cancel = `/api/v1/orders/${resting.orderHash}?marketId=${market.id}`;
    expect(await exchange.client.delete(cancel)).toMatchObject({ status: 200 });
    await setPaused(market, false);
    expect(await exchange.client.placeOrder(ann, order)).toMatchObject({ status: 200 });
  });

  it('and ends so leaves its trades void, with nobody to blame', async () => {
    const [market, other] = [await exchange.newMarket('Does it end?', 3_600), await exchange.newMarket('And this?')];
    await pauseAheadOfBatch(other);
    await pauseAheadOfBatch(market);
    await exchange.client.post('/sandbox/time', { advanceSeconds: 3_600 + 3_600 + 60 });
    const failed = await waitFor('the trade is void', async () => {
      const found = await failedIn(market);
      return found.length > 0 && found;
    });
    expect(failed).toMatchObject([{ faultParty: 'operator', reason: expect.stringContaining('void') }]);
    expect((await exchange.pending()).map(({ marketId }) => marketId)).toEqual([other.id]);
    expect(await failedIn(other)).toEqual([]);
  });
});
