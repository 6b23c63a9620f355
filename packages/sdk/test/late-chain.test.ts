// A chain that joins the service after a client has read its configuration: orders in its markets are signed for it.
import { expect, it } from 'vitest';
import { createTradingClient } from '../src/index.ts';

const OWNER = `0x${'0a'.repeat(20)}`;
const [FIRST, SECOND] = [1, 2].map((chainId) => ({
  chainId,
  settlement: { name: 'PresageSettlement', version: '1', address: `0x${String(chainId).repeat(40)}` },
}));
const [OLD, NEW] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`] as const;

/** A browser wallet that remembers for which chain it was asked to sign. */
function createWallet() {
  const chainIds: number[] = [];
  const request = async ({ params }: { readonly params?: unknown }) => {
    const [, typedData] = params as [string, string];
    chainIds.push(JSON.parse(typedData).domain.chainId);
    return `0x${'00'.repeat(65)}`;
  };
  return { chainIds, account: { address: OWNER, provider: { request } } };
}

it('signs for the chain of the market, though it was away when the client began', async () => {
  let chains = [FIRST];
  const answer = (path: string): object => {
    if (path.endsWith('/config')) return { authRequired: false, chains };
    if (path.includes('/markets/')) return { chainId: path.endsWith(NEW) ? 2 : 1 };
    return { now: 1, nowMs: 1_000, orderHash: `0x${'ee'.repeat(32)}`, trades: [] };
  };
  const fetch = async (input: unknown) => new Response(JSON.stringify(answer(new URL(String(input)).pathname)));
  const { chainIds, account } = createWallet();
  const client = createTradingClient({ url: 'http://x', account, fetch });
  const buy = (marketId: string) => client.placeOrder({ marketId, side: 'buy', price: '0.5', size: '1' });
  await buy(OLD);
  chains = [FIRST, SECOND];
  await buy(NEW);
  expect(chainIds).toEqual([1, 2]);
});
