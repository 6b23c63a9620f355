// Data folders with earlier contracts, made by the Presage that deployed them: today's program goes on with each.
import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

/** Each has chain, journal and keys of a sandbox in which ann had sold 2 shares to ben and offered 3 more; the view is rebuilt. */
const versions = [
  { version: 2, ann: walletOf('version two ann'), ben: walletOf('version two ben') },
  { version: 3, ann: walletOf('version three ann'), ben: walletOf('version three ben') },
  { version: 4, ann: walletOf('version four ann'), ben: walletOf('version four ben') },
  { version: 5, ann: walletOf('version five ann'), ben: walletOf('version five ben') },
] as const;

describe.each(versions)('a data folder with contracts of version $version', ({ version, ann, ben }) => {
  let exchange: Exchange;
  let market: MarketBody;

  beforeAll(async () => {
    const folder = new URL(`../fixtures/data-folder-v${version}/data-folder.tar.gz`, import.meta.url);
    const dataDir = await mkdtemp(join(tmpdir(), `presage-version-${version}-`));
    execFileSync('tar', ['xzf', folder.pathname, '-C', dataDir]);
    exchange = await Exchange.open({ dataDir, env: { PRESAGE_DEMO: 'off' } });
    const { markets } = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?kind=standard');
    market = markets.find(({ question }) => question.includes(`version ${version}`))!;
  });
  afterAll(() => exchange?.close());

  it('still has what was settled', async () => {
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 2_000_000n, no: 0n });
  });

  it('matches and settles what rested with what is new', async () => {
    await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.4', size: '3' });
    await exchange.settled();
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }, { status: 'confirmed' }]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 5_000_000n, no: 0n });
    expect((await exchange.sharesBothWays(market, ann)).reported).toEqual({ yes: 0n, no: 5_000_000n });
  });

  it('settles reduce-only orders, of which contracts of version 2 know nothing', async () => {
    // A client counts from the same nonce in every run, and the first are used.
    const sale = { market: market.id, side: 'sell', price: '0.3', size: '1', nonce: 7n } as const;
    await exchange.client.order(ben, { ...sale, reduceOnly: true });
    await exchange.client.order(ann, { ...sale, side: 'buy' });
    await exchange.settled();
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 4_000_000n, no: 0n });
  });

  it.skipIf(version >= 4)('has no deposits', async () => {
    const { chainId } = exchange.client.domain;
    const path = `/api/v1/users/${ann.address}/balances?chain_id=${chainId}`;
    expect(await exchange.client.read(path)).not.toHaveProperty('deposited');
  });

  it.skipIf(version >= 5)('has no fees, and refuses a market that would', async () => {
    const { chains } = await exchange.client.read<{ chains: object[] }>('/api/v1/config');
    expect(chains[0]).not.toHaveProperty('treasury');
    const terms = { question: 'Who would pay?', expiresIn: 86_400, feeRateBps: 100 };
    expect((await exchange.client.post('/sandbox/markets', terms)).status).toBeGreaterThanOrEqual(400);
  });

  it('gets new markets, which trade', async () => {
    const created = await exchange.newMarket('Is this market new?');
    const params = { market: created.id, price: '0.4', size: '2' } as const;
    await exchange.client.order(ann, { ...params, side: 'sell' });
    await exchange.client.order(ben, { ...params, side: 'buy' });
    await exchange.settled();
    expect(await exchange.trades(created.id)).toMatchObject([{ status: 'confirmed' }]);
  });
});
