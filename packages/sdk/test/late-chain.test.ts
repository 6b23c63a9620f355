// Orders are signed for the chain of their market, which one list names for all of its markets, and which may have joined the service later.
import { describe, expect, it } from 'vitest';
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

describe('the chains of markets', () => {
  const LISTED = [OLD, NEW].map((id, index) => ({ id, chainId: index + 1 }));

  async function openClient() {
    const asked: string[] = [];
    const answer = (path: string): object => {
      if (path.includes('/markets/')) asked.push(path);
      if (path.endsWith('/config')) return { authRequired: false, chains: [FIRST, SECOND] };
      if (path.endsWith('/markets')) return { markets: LISTED };
      if (path.includes('/markets/')) return { chainId: 2 };
      return { now: 1, nowMs: 1_000, orderHash: `0x${'ee'.repeat(32)}`, trades: [] };
    };
    const fetch = async (input: unknown) => new Response(JSON.stringify(answer(new URL(String(input)).pathname)));
    const { chainIds, account } = createWallet();
    const client = createTradingClient({ url: 'http://x', account, fetch });
    const buy = (marketId: string) => client.placeOrder({ marketId, side: 'buy', price: '0.5', size: '1' });
    return { asked, chainIds, client, buy };
  }

  it('are learnt from a list: no market is asked for by itself', async () => {
    const { asked, chainIds, client, buy } = await openClient();
    await client.listMarkets();
    for (const id of [OLD, NEW]) await buy(id);
    expect([chainIds, asked]).toEqual([[1, 2], []]);
  });

  it('are asked for once where a market is newer than the list', async () => {
    const { asked, chainIds, client, buy } = await openClient();
    await client.listMarkets();
    const later = `0x${'04'.repeat(32)}`;
    for (const id of [later, later]) await buy(id);
    expect([chainIds, asked]).toEqual([[2, 2], [`/api/v1/markets/${later}`]]);
  });
});
