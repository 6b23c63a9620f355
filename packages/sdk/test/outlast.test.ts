// Waits for what the service has taken outlast its restart: it goes on with it when it is back.
import { person } from '@presage/testkit';
import { expect, it } from 'vitest';
import { createTradingClient, PresageApiError } from '../src/index.ts';

const MARKET = `0x${'01'.repeat(32)}`;
const HASH = `0x${'ee'.repeat(32)}`;
const contract = { name: 'x', version: '1', address: `0x${'11'.repeat(20)}` };
const CHAIN = { chainId: 1, stablecoin: { ...contract, permitPath: '/permit' }, settlement: contract };
const RECOVERING = { error: 'starting', code: 'recovering' };
const GONE = { error: 'nobody knows it', code: 'order_not_found' };

type Answer = () => Response;
const cut: Answer = () => {
  throw new TypeError('fetch failed');
};
const json =
  (body: object, status = 200): Answer =>
  () =>
    Response.json(body, { status });

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/api/v1/config': json({ authRequired: false, chains: [CHAIN] }),
  [`/api/v1/markets/${MARKET}`]: json({ chainId: 1 }),
  '/api/v1/time': json({ now: 1, nowMs: 1_000 }),
  '/api/v1/orders': json({ orderHash: HASH, trades: [{ id: 1 }] }),
  '/permit': json({ tx_hash: HASH }),
};

/** A client without retries of its own; where a wait looks, the service answers in this order. */
function clientOf(...looks: Answer[]) {
  const fetch = async (input: unknown) => {
    const { pathname } = new URL(String(input));
    if (pathname.includes('/nonce/')) return Response.json({ nonce: 0 });
    return (ANSWERS[pathname] ?? looks.shift() ?? cut)();
  };
  return createTradingClient({ url: 'http://x', account: person('alice'), fetch, retries: 0 });
}

it('a relayed transaction is waited for until the service is back', async () => {
  const confirmed = json({ found: true, status: 'confirmed' });
  const client = clientOf(cut, json(RECOVERING, 425), json({ found: false }), confirmed);
  await (await client.approveStablecoin()).wait();
});

it('a settlement is waited for until the service is back, and no longer than the order is known', async () => {
  const events = [
    { type: 'filled', tradeId: '1', id: 1 },
    { type: 'confirmed', tradeId: '1' },
  ];
  const order = { marketId: MARKET, side: 'buy', price: '0.5', size: '1' } as const;
  const placed = await clientOf(cut, json(RECOVERING, 425), json({ events })).placeOrder(order);
  expect(await placed.waitForSettlement()).toMatchObject({ settled: [{ id: 1, stage: 'confirmed' }], failed: [] });
  const forgotten = await clientOf(cut, json(GONE, 404)).placeOrder(order);
  await expect(forgotten.waitForSettlement()).rejects.toThrow(PresageApiError);
});

it('a trade that failed and was settled after all has no fault', async () => {
  const events = [
    { type: 'filled', tradeId: '1', id: 1 },
    { type: 'failed', tradeId: '1', reason: 'DepositFailed', faultParty: 'maker' },
    { type: 'confirmed', tradeId: '1' },
  ];
  const placed = await clientOf(json({ events })).placeOrder({
    marketId: MARKET,
    side: 'buy',
    price: '0.5',
    size: '1',
  });
  const { settled } = await placed.waitForSettlement();
  expect(settled).toHaveLength(1);
  expect(settled[0]).not.toHaveProperty('reason');
  expect(settled[0]).not.toHaveProperty('faultParty');
});

it('a wait ends with its signal though the service stays away', async () => {
  const transaction = await clientOf().approveStablecoin();
  const signal = AbortSignal.timeout(300);
  await expect(transaction.wait({ signal })).rejects.toMatchObject({ name: 'TimeoutError' });
});
