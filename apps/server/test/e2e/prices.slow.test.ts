// Prices through a whole sandbox: the endpoints, prices set by hand, journeys, stalls, restarts.
import { readdirSync } from 'node:fs';
import { QUICK_MARKETS, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coinbaseTicker, LocalExchange } from '../prices/local-sources.ts';
import { Exchange } from './exchange.ts';
import { PriceReader } from './price-reader.ts';

interface PriceBody {
  readonly asset: string;
  readonly price: number;
  readonly priceUSD: number;
  readonly priceDecimals: number;
  readonly timestamp: number;
  readonly source: string;
  readonly simulated: boolean;
}
interface HistoryBody {
  readonly asset: string;
  readonly priceDecimals: number;
  readonly prices: readonly Omit<PriceBody, 'asset' | 'priceDecimals'>[];
  readonly count: number;
}
interface StatusBody {
  readonly feeds: readonly { asset: string; fresh: boolean; ageMs: number; source: string; price: number }[];
}

const BASE = '/api/v1/quick-markets';
let exchange: Exchange;
let coinbase: LocalExchange;

beforeAll(async () => {
  coinbase = await LocalExchange.open();
  exchange = await Exchange.open({ env: { ...QUICK_MARKETS, PRESAGE_COINBASE_URL: coinbase.url } });
  await waitFor('there is a price', async () => (await exchange.client.get(`${BASE}/BTC/price`)).status === 200);
});
afterAll(async () => {
  await exchange.close();
  await coinbase.close();
});

const current = (asset: string) => exchange.client.read<PriceBody>(`${BASE}/${asset}/price`);
const historyOf = (asset: string) => exchange.client.read<HistoryBody>(`${BASE}/${asset}/price-history`);
const now = async () => (await exchange.client.read<{ now: number }>('/api/v1/time')).now;
const pin = (asset: string, priceUSD: unknown) =>
  exchange.client.post<{ from: number; code: string }>('/sandbox/price', { asset, priceUSD });
const travel = (advanceSeconds: number) => exchange.client.post('/sandbox/time', { advanceSeconds });
const streamUrl = (asset: string) => `${exchange.client.url}${BASE}/${asset}/price-stream`;
const isFresh = async (asset: string) => {
  const { feeds } = await exchange.client.read<StatusBody>('/api/v1/status');
  return feeds.find((feed) => feed.asset === asset)?.fresh;
};

/** From the supervisor's own list: a file for each process, named after its role and pid. */
function chainPid(): number {
  const names = readdirSync(`${exchange.sandbox.dataDir}/processes`);
  return Number(names.find((name) => name.startsWith('chain-'))?.split('-')[1]);
}

describe('the price endpoints', () => {
  it('return the current price as an exact integer with its decimals, by the URL that was asked', async () => {
    const price = await current('btc');
    expect(price).toMatchObject({ asset: 'BTC', priceDecimals: 8, simulated: true });
    expect(price.priceUSD).toBe(price.price / 1e8);
    expect(price.source).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v2\/updates\/price\/stream\?ids\[\]=0xe62df6c8/);
    expect(Math.abs((await now()) - price.timestamp)).toBeLessThan(30);
  });

  it('return what was seen, oldest first, at most one a second', async () => {
    const { prices } = await waitFor('three prices are kept', async () => {
      const history = await historyOf('ETH');
      return history.count >= 3 && history;
    });
    const times = prices.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(prices.every(({ source, simulated }) => source === 'pyth' && simulated)).toBe(true);
  });

  it('know no asset that is not configured', async () => {
    for (const path of ['price', 'price-history', 'price-stream']) {
      for (const asset of ['DOGE', 'no-such', '%00']) {
        const answer = await exchange.client.get(`${BASE}/${asset}/${path}`);
        expect(answer, `${asset}/${path}`).toMatchObject({ status: 404, body: { code: 'asset_not_supported' } });
      }
    }
    expect(await pin('DOGE', 1)).toMatchObject({ status: 404, body: { code: 'asset_not_supported' } });
    for (const priceUSD of [0, -1, 'much', 1e9, undefined]) {
      expect(await pin('BTC', priceUSD)).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
    }
  });

  it('stream the last price at once and each new one, with ids, to any page', async () => {
    const reader = await PriceReader.open(streamUrl('BTC'), { origin: 'https://elsewhere.example' });
    expect(reader.headers.get('content-type')).toContain('text/event-stream');
    expect(reader.headers.get('access-control-allow-origin')).toBeTruthy();
    expect(reader.headers.get('x-request-id')).toBeTruthy();
    await waitFor('three events came', async () => reader.events.length >= 3);
    reader.close();
    const [first] = reader.events;
    expect(first).toMatchObject({ asset: 'BTC', priceDecimals: 8, source: 'pyth', simulated: true });
    expect(reader.events.map(({ id }) => id)).toEqual(reader.events.map(({ timestamp }) => String(timestamp)));
  });

  it('show the age of the feeds to the operator', async () => {
    const { feeds } = await exchange.client.read<StatusBody>('/api/v1/status');
    expect(feeds).toMatchObject([
      { asset: 'BTC', fresh: true, source: 'pyth', ageMs: expect.any(Number) },
      { asset: 'ETH', fresh: true, source: 'pyth', ageMs: expect.any(Number) },
    ]);
    expect(String((await exchange.client.get('/metrics')).body)).toMatch(/presage_prices_stale 0/);
  });
});

describe('a price that is set by hand', () => {
  it('is shown when it is answered, exactly, and holds across a journey', async () => {
    const { from } = (await pin('btc', 65_000.12)).body;
    expect(await current('BTC')).toMatchObject({ price: 6_500_012_000_000, priceUSD: 65_000.12 });
    await travel(900);
    const later = await waitFor('a price after the journey', async () => {
      const price = await current('BTC');
      return price.timestamp >= from + 900 && price;
    });
    expect(later.price).toBe(6_500_012_000_000);
    expect((await current('ETH')).price).not.toBe(6_500_012_000_000);
  });

  it('stands in the primary’s history by time, beside what was there before and after', async () => {
    const feed = new URL((await current('BTC')).source);
    const at = async (second: number) => {
      const answer = await fetch(`${feed.origin}/v2/updates/price/${second}${feed.search}`);
      const { parsed } = (await answer.json()) as { parsed: { price: { price: string; publish_time: number } }[] };
      expect(parsed[0]?.price.publish_time).toBe(second);
      return Number(parsed[0]?.price.price);
    };
    const first = (await pin('BTC', 70_000)).body.from;
    await travel(900);
    const second = (await pin('BTC', null)).body.from;
    await travel(900);
    expect([await at(first - 1), await at(first), await at(second - 1)]).toEqual([
      6_500_012_000_000, 7_000_000_000_000, 7_000_000_000_000,
    ]);
    expect(await at(second)).not.toBe(7_000_000_000_000);
    expect(await at(second + 800)).not.toBe(7_000_000_000_000);
  });

  it('survives a restart of the feed', async () => {
    const { from } = (await pin('ETH', 1_234.5)).body;
    const feed = new URL((await current('ETH')).source);
    process.kill(chainPid(), 'SIGKILL');
    const back = await waitFor('the feed is back', async () => {
      const { timestamp, price } = await current('ETH');
      return timestamp > from + 2 && price;
    });
    expect(back).toBe(123_450_000_000);
    const answer = await fetch(`${feed.origin}/v2/updates/price/${from}${feed.search}`);
    expect(await answer.text()).toContain('"price":"123450000000"');
  });
});

describe('a stalled oracle', () => {
  it('hands over to the first fallback without the asset becoming stale, and takes over again', async () => {
    const speaking = setInterval(() => coinbase.say(coinbaseTicker('64000.01', new Date())), 200);
    try {
      await exchange.client.post('/sandbox/faults', { oracle: 'stalled' });
      const fallen = await waitFor('the fallback speaks', async () => {
        const price = await current('BTC');
        expect(await isFresh('BTC')).toBe(true);
        return price.source === coinbase.url && price;
      });
      expect(fallen).toMatchObject({ price: 6_400_001_000_000 });
      expect(fallen.simulated).toBeUndefined();
      expect((await historyOf('BTC')).prices.at(-1)).toMatchObject({ source: 'coinbase' });
      await exchange.client.post('/sandbox/faults', { oracle: 'normal' });
      await waitFor('the primary is back', async () => (await historyOf('BTC')).prices.at(-1)?.source === 'pyth');
    } finally {
      clearInterval(speaking);
    }
  });
});

describe('a restart', () => {
  it('ends the streams in order, keeps the history, and lets a reader resume without a gap', async () => {
    await pin('BTC', 50_000);
    const reader = await PriceReader.open(streamUrl('BTC'));
    await waitFor('two events came', async () => reader.events.length >= 2);
    const before = await historyOf('BTC');
    await exchange.sandbox.stop();
    expect(await reader.ended).toBe(true);
    const seen = reader.events.at(-2)!;
    const last = reader.events.at(-1)!;
    exchange = await exchange.reopen({ env: QUICK_MARKETS });
    const resumed = await PriceReader.open(streamUrl('BTC'), { 'last-event-id': seen.id });
    await waitFor('the resumed stream speaks', async () => resumed.events.length >= 2);
    resumed.close();
    expect(resumed.events[0]).toEqual(last);
    const after = await historyOf('BTC');
    const first = before.prices.at(-1)!;
    expect(after.prices).toContainEqual(first);
    expect(after.prices.at(-1)).toMatchObject({ price: 5_000_000_000_000 });
  });
});
