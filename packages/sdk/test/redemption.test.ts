// Redemptions ask for the markets that the caller names, however the ids are spelled.
import { person } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { createTradingClient } from '../src/index.ts';

const WON = `0x${'ab'.repeat(32)}`;
const OTHER = `0x${'cd'.repeat(32)}`;
const contract = (byte: string) => ({ name: 'x', version: '1', address: `0x${byte.repeat(20)}` });
const CHAIN = { chainId: 1, conditionalTokens: contract('11'), settlement: contract('22'), stablecoin: contract('33') };

/** A service where both markets can be redeemed; `claimed` collects the markets of each redemption. */
function serve(claimed: string[][]): typeof fetch {
  const answer = (url: URL): object => {
    if (url.pathname.endsWith('/config')) return { authRequired: false, chains: [CHAIN] };
    if (url.pathname.endsWith('/claimable')) {
      return { claimable: [WON, OTHER].map((market_id) => ({ market_id, payout: '5' })) };
    }
    if (url.pathname.endsWith('/claim-data')) {
      claimed.push(url.searchParams.get('markets')!.split(','));
      return { markets: [] };
    }
    return { now: 1, nowMs: 1_000, nonce: 0, txHash: `0x${'ee'.repeat(32)}`, status: 'pending' };
  };
  return async (input) => new Response(JSON.stringify(answer(new URL(String(input)))));
}

describe('redeemAll', () => {
  it.each([
    ['as the service spells them', [WON], [[WON]]],
    ['in capitals', [`0x${'AB'.repeat(32)}`], [[WON]]],
    ['none', undefined, [[WON, OTHER]]],
  ])('with markets %s redeems them', async (_how, markets, expected) => {
    const claimed: string[][] = [];
    const client = createTradingClient({ url: 'http://x', account: person('alice'), fetch: serve(claimed) });
    const { totalPayout } = await client.redeemAll(markets && { markets });
    expect(claimed).toEqual(expected);
    expect(totalPayout).toBe(markets === undefined ? 10n : 5n);
  });

  it('refuses what is no market', async () => {
    const client = createTradingClient({ url: 'http://x', account: person('alice'), fetch: serve([]) });
    await expect(client.redeemAll({ markets: ['BTC'] })).rejects.toThrow('markets must be 0x and 64 hex digits');
  });
});
