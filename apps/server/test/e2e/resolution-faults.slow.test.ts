// The keeper settles what nobody settles, once, through kills; and payouts end right through reorganizations of every depth.
import { isLongRun, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Decisions } from './decisions.ts';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

const DEPTHS = isLongRun ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1, 10];
const HOUR = 3_600;
const WINDOW = 2 * HOUR;
const TIMEOUT = 31;
const CHAIN = 31_337;
/** Windows that end and begin would only take time at every journey. */
// What the relayer sends is counted: anchors would be among it.
const ENV = { PRESAGE_QUICK_ASSETS: 'off', PRESAGE_ANCHOR_MINUTES: '0' };
const [ann, ben, cat] = [walletOf('kept ann'), walletOf('kept ben'), walletOf('kept cat')];
const dan = walletOf('kept dan');
let exchange: Exchange;
let decisions: Decisions;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
  decisions = await Decisions.open(exchange);
});
afterAll(() => exchange?.close());

async function proposedMarket(question: string): Promise<MarketBody> {
  const market = await exchange.newMarket(question, HOUR);
  await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.3', size: '7.000001' });
  await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.3', size: '7.000001' });
  await exchange.settled();
  await decisions.travel(HOUR);
  await decisions.propose(market, cat, true);
  await decisions.becomes(market, 'proposed');
  return market;
}

async function relayerNonce(): Promise<number> {
  const { relayer } = await exchange.client.read<{ relayer: { address: `0x${string}` } }>('/api/v1/status');
  return exchange.chain.transactionCount(relayer.address);
}

describe('the keeper', () => {
  it('waits half a minute after the window and then settles, with one transaction', async () => {
    const market = await proposedMarket('Is it kept?');
    const before = await relayerNonce();
    await decisions.travel(WINDOW);
    expect(await decisions.read(market)).toMatchObject({ status: 'proposed', resolved: false });
    await decisions.travel(TIMEOUT);
    expect(await decisions.becomes(market, 'resolved')).toMatchObject({ winningOutcome: 0 });
    expect(await relayerNonce()).toBe(before + 1);
  });

  it('keeps quiet where somebody else settled, and where there is a dispute', async () => {
    const disputed = await proposedMarket('Is it disputed?');
    const { status } = await exchange.client.post('/sandbox/dispute', { marketId: disputed.id });
    expect(status).toBe(200);
    const kept = await proposedMarket('And this one?');
    // The last one: each proposal moves the clock by an hour, and the keeper gives its market half a minute after the window.
    const settled = await proposedMarket('Was somebody faster?');
    const before = await relayerNonce();
    await decisions.travel(WINDOW);
    await decisions.settle(settled, ann);
    await decisions.becomes(settled, 'resolved');
    await decisions.travel(TIMEOUT);
    await decisions.becomes(kept, 'resolved');
    expect(await relayerNonce()).toBe(before + 1);
    expect(await decisions.read(disputed)).toMatchObject({ status: 'disputed', resolved: false });
  });

  it('settles once when everything is killed at the moment it is due', async () => {
    const market = await proposedMarket('Does it survive?');
    const before = await relayerNonce();
    await decisions.travel(WINDOW + TIMEOUT);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: ENV });
    decisions = await Decisions.open(exchange);
    await decisions.becomes(market, 'resolved');
    const fence = await proposedMarket('What comes after?');
    await decisions.travel(WINDOW + TIMEOUT);
    await decisions.becomes(fence, 'resolved');
    expect(await relayerNonce()).toBe(before + 2);
  });
});

/** Everything that the service says of the payout of a market to Ben. */
async function reported(market: MarketBody) {
  const { settlements } = await exchange.client.read<{ settlements: { marketId: string; payout: number }[] }>(
    `/api/v1/users/${ben.address}/activity?chain_id=${CHAIN}&limit=100`,
  );
  const { yesShares, realizedPnl } = await exchange.position(market.id, ben);
  const payouts = settlements.filter(({ marketId }) => marketId === market.id).map(({ payout }) => payout);
  return { status: (await decisions.read(market)).status, yesShares, realizedPnl, payouts };
}

describe('a restart without a reorganization', () => {
  /** How often the market has changed; a stream sends each of these steps. */
  const stepOf = async ({ id }: MarketBody) =>
    (await exchange.client.read<{ seq: number }>(`/api/v1/orderbook/${id}?outcome=0`)).seq;

  it('takes nothing back of what the chain said before, however far back the chain is read again', async () => {
    const market = await proposedMarket('Is it ever unresolved?');
    const open = await exchange.newMarket('Is the order still there?');
    await decisions.travel(WINDOW);
    // Shares of a market that is never listed: blocks from here on are read again after a restart.
    await decisions.splitUnlisted(dan);
    await decisions.settle(market, ann);
    await decisions.becomes(market, 'resolved');
    await decisions.redeem(market, ben);
    await waitFor('the payout is known', async () => (await reported(market)).payouts.length === 1);
    await decisions.halt(dan, true);
    const order = { market: open.id, side: 'buy', price: '0.4', size: '1' } as const;
    const isTaken = async () => (await exchange.client.placeOrder(dan, order)).status === 200;
    await waitFor('orders are refused', async () => !(await isTaken()));
    await decisions.halt(dan, false);
    await waitFor('orders are taken', isTaken);
    const look = async () => ({
      ...(await reported(market)),
      steps: [await stepOf(market), await stepOf(open)],
      resolution: await decisions.read(market),
      orders: await exchange.client.read(`/api/v1/orders?trader=${dan.address}`),
    });
    const before = await look();
    expect(before).toMatchObject({ status: 'resolved', yesShares: 0 });

    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: ENV });
    decisions = await Decisions.open(exchange);
    expect(await look()).toEqual(before);
    // Listed when every block before it was read.
    await exchange.newMarket('Is everything read again?');
    expect(await look()).toEqual(before);
  });
});

describe('a reorganization', () => {
  const size = 7_000_001;
  const cost = Math.ceil(0.3 * size);

  const REDEEMED = { status: 'resolved', yesShares: 0, realizedPnl: size - cost, payouts: [size] };
  const WON = { status: 'resolved', yesShares: size, realizedPnl: 0, payouts: [] };

  const becomes = (market: MarketBody, expected: object) =>
    waitFor(`the payout is reported as ${JSON.stringify(expected)}`, async () => {
      const now = JSON.stringify(await reported(market));
      return now === JSON.stringify(expected);
    });

  const expectTrue = async (market: MarketBody) => {
    for (const wallet of [ann, ben]) {
      const { reported: shares, onChain } = await exchange.sharesBothWays(market, wallet);
      expect(shares).toEqual(onChain);
    }
  };

  async function redeemedMarket(question: string): Promise<{ market: MarketBody; since: bigint }> {
    const market = await proposedMarket(question);
    const { number: since } = await exchange.chain.head();
    await decisions.travel(WINDOW + TIMEOUT);
    await decisions.becomes(market, 'resolved');
    await decisions.redeem(market, ben);
    await becomes(market, REDEEMED);
    return { market, since };
  }

  it.each(DEPTHS)('of depth %i that mines the same again changes nothing in the end', async (depth) => {
    const { market } = await redeemedMarket(`Is it the same at ${depth}?`);
    const onChain = await exchange.chain.money(ben.address);
    const before = await exchange.chain.head();
    await exchange.client.post('/sandbox/faults', { reorgDepth: depth });
    const gone = await exchange.chain.hashOfBlock(before.number);
    expect(gone).not.toBe(before.hash);
    // Seen to the end: whatever comes after is read from the new branch.
    await exchange.newMarket(`Is the branch read at ${depth}?`);
    await becomes(market, REDEEMED);
    expect(await exchange.chain.money(ben.address)).toBe(onChain);
    await expectTrue(market);
  });

  it('that loses the redemption gives the shares and the cost back, and it can be made again', async () => {
    const { market } = await redeemedMarket('Is the redemption lost?');
    await exchange.chain.reorg(1, 'drop');
    await becomes(market, WON);
    await expectTrue(market);
    await decisions.redeem(market, ben);
    await becomes(market, REDEEMED);
    await expectTrue(market);
  });

  it('that loses the settlement too has the market settled again, once', async () => {
    const { market, since } = await redeemedMarket('Is the settlement lost?');
    const before = await relayerNonce();
    const { number } = await exchange.chain.head();
    await exchange.chain.reorg(Number(number - since), 'drop');
    await becomes(market, WON);
    expect(await relayerNonce()).toBe(before);
    await expectTrue(market);
    await decisions.redeem(market, ben);
    await becomes(market, REDEEMED);
    await expectTrue(market);
  });

  it('that happens while the chain is unreachable is noticed when it is back, and remembered through a kill', async () => {
    const { market } = await redeemedMarket('Is it noticed?');
    await exchange.client.post('/sandbox/faults', { chain: 'down' });
    await exchange.chain.reorg(1, 'drop');
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
    await becomes(market, WON);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: ENV });
    decisions = await Decisions.open(exchange);
    await becomes(market, WON);
    await expectTrue(market);
  });
});
