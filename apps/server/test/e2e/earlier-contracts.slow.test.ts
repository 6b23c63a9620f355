// Data folders of earlier versions, each made by the Presage of its time: today's program goes on with all of them.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { archiveOf, type KeptFolder, keptRelease, tradersOf, unpack } from './kept-folders.ts';
import type { MarketBody } from './wire.ts';

function keptContracts(contracts: number, word: string): KeptFolder {
  const [seller, buyer] = [`version ${word} ann`, `version ${word} ben`];
  return { name: `data-folder-v${contracts}`, question: `version ${contracts}`, seller, buyer };
}

/** Each has chain, journal and keys of a sandbox in which ann had sold 2 shares to ben and offered 3 more; the view is rebuilt. */
const kept = [
  { contracts: 2, folder: keptContracts(2, 'two') },
  { contracts: 3, folder: keptContracts(3, 'three') },
  { contracts: 4, folder: keptContracts(4, 'four') },
  { contracts: 5, folder: keptContracts(5, 'five') },
  { contracts: 6, folder: keptRelease('0.1.0') },
] as const;

it('has the data folder of this release: npm run record:data-folder makes it, and it is listed here', async () => {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { name } = keptRelease(JSON.parse(manifest).version);
  expect(existsSync(archiveOf(name)), archiveOf(name)).toBe(true);
  expect(kept.map(({ folder }) => folder.name)).toContain(name);
});

describe.each(kept)('the data folder $folder.name with contracts of version $contracts', ({ contracts, folder }) => {
  const { ann, ben } = tradersOf(folder);
  let exchange: Exchange;
  let market: MarketBody;

  beforeAll(async () => {
    exchange = await Exchange.open({ dataDir: await unpack(folder.name), env: { PRESAGE_DEMO: 'off' } });
    const { markets } = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?kind=standard');
    market = markets.find(({ question }) => question.includes(folder.question))!;
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

  it.skipIf(contracts >= 4)('has no deposits', async () => {
    const { chainId } = exchange.client.domain;
    const path = `/api/v1/users/${ann.address}/balances?chain_id=${chainId}`;
    expect(await exchange.client.read(path)).not.toHaveProperty('deposited');
  });

  it.skipIf(contracts >= 5)('has no fees, and refuses a market that would', async () => {
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
