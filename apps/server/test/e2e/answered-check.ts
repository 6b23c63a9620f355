// What must hold of everything that was answered, whatever befell the service since: it is there, and it settled once.
import { expect } from 'vitest';
import type { Exchange } from './exchange.ts';
import { type AnsweredOrder, BUYERS, type RecordedLoad, SELLERS } from './recorded-load.ts';
import type { LifeEvent, MarketBody, OrderBody } from './wire.ts';

const WALLETS = [...BUYERS, ...SELLERS];
/** Asked side by side: one after the other, thousands of orders take longer than what is tested. */
const AT_ONCE = 16;

async function lifeOf({ client }: Exchange, hash: string): Promise<LifeEvent[]> {
  return (await client.read<{ events: LifeEvent[] }>(`/api/v1/orders/${hash}/events`)).events;
}

async function forEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(check));
  }
}

/** Every order, trade and cancel, as it was answered. */
export async function expectAnswered(
  exchange: Exchange,
  { answered, cancelled }: Pick<RecordedLoad, 'answered' | 'cancelled'>,
): Promise<void> {
  await forEach(answered, (each) => expectOrder(exchange, each));
  await forEach(cancelled, async (hash) => {
    expect(await exchange.client.read(`/api/v1/orders/${hash}`)).toMatchObject({ status: 'cancelled' });
  });
}

async function expectOrder(exchange: Exchange, { submission, answer }: AnsweredOrder): Promise<void> {
  const { orderHash } = answer;
  const order = await exchange.client.read<OrderBody>(`/api/v1/orders/${orderHash}`);
  expect(order).toMatchObject({ size: submission.order.size, nonce: submission.order.nonce });
  expect(order.filledSize).toBeGreaterThanOrEqual(answer.filledSize);
  const taken = (await lifeOf(exchange, orderHash)).filter(({ type, role }) => type === 'filled' && role === 'taker');
  expect(taken.map(({ id, tradeId, price, size }) => ({ id, tradeId, price, size }))).toEqual(answer.trades);
}

/** Balances on chain are what the answers add up to. */
export async function expectSettledOnce(
  exchange: Exchange,
  markets: readonly MarketBody[],
  answered: readonly AnsweredOrder[],
): Promise<void> {
  await exchange.settled();
  expect(await exchange.client.read('/api/v1/failed-trades')).toEqual({ failedTrades: [], count: 0 });
  for (const market of markets) {
    const here = answered.filter(({ submission }) => submission.order.marketId === market.id);
    const expected = await expectedShares(exchange, here);
    for (const { address } of WALLETS) {
      const shares = expected.get(address) ?? { yes: 0n, no: 0n };
      expect(await exchange.chain.shares(market, address)).toEqual(shares);
      const { reported } = await exchange.sharesBothWays(market, { address });
      expect(reported).toEqual(shares);
    }
  }
}

/** The contract counts as filled exactly what every order says. */
export async function expectFilledOnChain(
  exchange: Pick<Exchange, 'client' | 'chain'>,
  answered: readonly AnsweredOrder[],
): Promise<void> {
  await forEach(answered, async ({ submission, answer }) => {
    const { filledSize } = await exchange.client.read<OrderBody>(`/api/v1/orders/${answer.orderHash}`);
    expect(await exchange.chain.filled(submission.order)).toBe(BigInt(filledSize));
  });
}

/** From the answers: each trade once for its taker, and in the life of exactly one resting order. */
async function expectedShares(exchange: Exchange, orders: readonly AnsweredOrder[]) {
  const shares = new Map<string, { yes: bigint; no: bigint }>();
  const taken = orders.flatMap(({ answer }) => answer.trades.map(({ tradeId }) => tradeId));
  const rested: unknown[] = [];
  await forEach(orders, async ({ submission, answer }) => {
    const { trader, side } = submission.order;
    const fills = (await lifeOf(exchange, answer.orderHash)).filter(({ type }) => type === 'filled');
    rested.push(...fills.filter(({ role }) => role === 'maker').map(({ tradeId }) => tradeId));
    const size = fills.reduce((total, fill) => total + BigInt(fill.size as number), 0n);
    const { yes, no } = shares.get(trader) ?? { yes: 0n, no: 0n };
    shares.set(trader, side === 0 ? { yes: yes + size, no } : { yes, no: no + size });
  });
  expect(rested.toSorted()).toEqual(taken.toSorted());
  expect(new Set(taken).size).toBe(taken.length);
  return shares;
}
