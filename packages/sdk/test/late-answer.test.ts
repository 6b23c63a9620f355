// An order that is refused for its time: signed anew where the service's clock has moved, and not where it may have been placed long ago.
import { afterEach, expect, it, vi } from 'vitest';
import { createTradingClient } from '../src/index.ts';

const OWNER = `0x${'0a'.repeat(20)}`;
const MARKET = `0x${'01'.repeat(32)}` as const;
const CHAIN = {
  chainId: 1,
  settlement: { name: 'PresageSettlement', version: '1', address: `0x${'1'.repeat(40)}` },
};
const REFUSAL = { error: 'too soon', code: 'expiration_too_soon', retryable: false, requestId: 'r' };

afterEach(() => vi.useRealTimers());

/** How often an order is signed whose first answer comes so late. */
async function signaturesOf(lateMs: number): Promise<{ readonly signed: number; readonly error?: unknown }> {
  vi.useFakeTimers({ toFake: ['Date'] });
  let [signed, sent] = [0, 0];
  const request = async () => {
    signed++;
    return `0x${'00'.repeat(65)}`;
  };
  const answer = (path: string): Response => {
    if (path.endsWith('/config')) return Response.json({ authRequired: false, chains: [CHAIN] });
    if (path.includes('/markets/')) return Response.json({ chainId: 1 });
    if (!path.endsWith('/orders')) return Response.json({ now: 1, nowMs: 1_000 });
    if (++sent > 1) return Response.json({ orderHash: `0x${'ee'.repeat(32)}`, trades: [] });
    vi.setSystemTime(Date.now() + lateMs);
    return Response.json(REFUSAL, { status: 400 });
  };
  const fetch = async (input: unknown) => answer(new URL(String(input)).pathname);
  const client = createTradingClient({ url: 'http://x', account: { address: OWNER, provider: { request } }, fetch });
  const error = await client.placeOrder({ marketId: MARKET, side: 'buy', price: '0.5', size: '1' }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { signed, error };
}

it('is signed anew when it is refused at once', async () => {
  expect(await signaturesOf(10)).toEqual({ signed: 2, error: undefined });
});

it('is not signed anew when the computer has slept since it was sent', async () => {
  expect(await signaturesOf(600_000)).toMatchObject({ signed: 1, error: { code: 'expiration_too_soon' } });
});
