// Rate limits, CORS and metrics as a client meets them, on the real service.
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { ErrorReply } from './wire.ts';

let exchange: Exchange;
beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_RATE_LIMITS: 'on', PRESAGE_CORS_ORIGINS: 'https://trade.example' } });
});
afterAll(() => exchange.close());

const TIME = '/api/v1/time';

async function flood(count: number, ask: () => Promise<{ status: number; headers: Headers; body: unknown }>) {
  return Promise.all(Array.from({ length: count }, ask));
}

describe('where rate limits are on', () => {
  it('says so in /config', async () => {
    const { limits } = await exchange.client.read<{ limits: { rates: object } }>('/api/v1/config');
    expect(limits.rates).toMatchObject({ enabled: true, readsPerSecond: 100, writesPerSecond: 50, burstFactor: 2 });
  });

  it('answers within the limit with RateLimit headers, past it with 429 and the seconds to wait', async () => {
    const first = await exchange.client.get(TIME);
    expect(Number(first.headers.get('ratelimit-limit'))).toBe(200);
    expect(Number(first.headers.get('ratelimit-remaining'))).toBeLessThan(200);
    expect(first.headers.get('ratelimit-reset')).toMatch(/^\d+$/);

    // On a busy machine one flood may take so long that the bucket refills meanwhile.
    const refused = await waitFor('some are refused', async () => {
      const answers = await flood(600, () => exchange.client.get(TIME));
      expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
      const tooMany = answers.filter(({ status }) => status === 429);
      return tooMany.length > 0 && tooMany;
    });
    for (const { headers, body } of refused.slice(0, 20)) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(body).toMatchObject({
        code: 'rate_limited',
        error: expect.stringMatching(/^Too many requests \(429\): at most \d+ at once, wait \d+ s$/),
      });
    }
    const wait = Number(refused[0]!.headers.get('retry-after'));
    await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
    expect((await exchange.client.get(TIME)).status).toBe(200);
  });

  it('never refuses a probe', async () => {
    const answers = await flood(400, () => exchange.client.get('/health'));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it('lets ten position syncs a minute through', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const { markets } = await exchange.client.read<{ markets: { id: string }[] }>('/api/v1/markets');
    const path = `/api/v1/positions/${markets[0]!.id}/sync`;
    const answers = [];
    for (let i = 0; i < 12; i++) {
      answers.push(await exchange.client.post<ErrorReply>(path, { userAddress: walletOf('sync').address }));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429, 429]);
  });
});

describe('a page of another origin', () => {
  const preflight = (origin: string, method: string) =>
    exchange.client.send('OPTIONS', '/api/v1/orders', {
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    });

  it('may read without authentication', async () => {
    const { headers } = await exchange.client.get(TIME, { headers: { origin: 'https://anybody.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://anybody.example');
    expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });

  it('may write when the operator has named it', async () => {
    const [named, unnamed] = [
      await preflight('https://trade.example', 'POST'),
      await preflight('https://anybody.example', 'POST'),
    ];
    expect(named.headers.get('access-control-allow-origin')).toBe('https://trade.example');
    expect(unnamed.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the metrics', () => {
  it('count accepted orders and measure accept, match, journal and settlement', async () => {
    const market = await exchange.newMarket('Is it measured?');
    const [maker, taker] = [walletOf('measured maker'), walletOf('measured taker')];
    await exchange.client.order(maker, { market: market.id, side: 'sell', price: '0.60', size: '3' });
    await exchange.client.order(taker, { market: market.id, side: 'buy', price: '0.60', size: '3' });
    await exchange.settled();
    const { body: text } = await exchange.client.get<string>('/metrics');
    expect(text).toMatch(/^presage_orders_accepted_total [2-9]/m);
    for (const name of ['match', 'journal_sync', 'settle']) {
      expect(text).toMatch(new RegExp(`^presage_${name}_seconds_count [1-9]`, 'm'));
    }
    expect(text).toMatch(
      /^presage_http_request_seconds_count\{method="POST",route="\/api\/v1\/orders",status="200"\} 2$/m,
    );
    for (const gauge of ['settlement_waiting', 'signatures_waiting', 'view_lag', 'chain_age_seconds']) {
      expect(text).toMatch(new RegExp(`^presage_${gauge}(\\{chain="31337"\\})? \\d`, 'm'));
    }
    const status = await exchange.client.read<{ latency: { acceptMs: object; settleMs: { p50: number } } }>(
      '/api/v1/status',
    );
    expect(status.latency.acceptMs).toMatchObject({ p50: expect.any(Number), p99: expect.any(Number) });
    expect(status.latency.settleMs.p50).toBeGreaterThan(0);
  });
});
