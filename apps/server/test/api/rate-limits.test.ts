// Writes that are rarer than others: each costs a question to the chain, or a record that is kept for good.
import { LIMITS } from '@presage/protocol';
import { expect, it } from 'vitest';
import type { HttpReply } from '../../src/api/http/reply.ts';
import type { HttpRequest } from '../../src/api/http/request.ts';
import { limitRates } from '../../src/api/rate-limits.ts';

const { apiKeysPerHour, positionSyncsPerMinute } = LIMITS.rates;
const HOUR_MS = 3_600_000;

/** How many of a route are let through, of twice as many as are allowed, one a second. */
function openLimits() {
  let nowMs = 0;
  const limits = limitRates({ wallMs: () => nowMs });
  const reply = { getHeader: () => undefined, header: () => reply } as unknown as HttpReply;
  const ask = (path: string, address: string) => {
    const request = { method: 'POST', address, route: { method: 'POST', path } } as unknown as HttpRequest;
    limits.chargeAddress(request, reply);
  };
  const countOf = (path: string, address: string, tries: number) => {
    let count = 0;
    for (let turn = 0; turn < tries; turn++) {
      // Fast enough for the limit of all writes, and too fast for a bucket to fill again.
      nowMs += 20;
      try {
        ask(path, address);
        count++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate_limited' });
      }
    }
    return count;
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { countOf, pass };
}

it('an address registers so many keys an hour, whatever the wallets', () => {
  const { countOf, pass } = openLimits();
  const path = '/api/v1/api-keys';
  const most = apiKeysPerHour + 5;
  expect(countOf(path, '203.0.113.7', 2 * apiKeysPerHour)).toBeLessThan(most);
  expect(countOf('/api/v1/orders', '203.0.113.7', 100)).toBe(100);
  expect(countOf(path, '203.0.113.8', apiKeysPerHour)).toBe(apiKeysPerHour);
  pass(HOUR_MS / 2);
  expect(countOf(path, '203.0.113.7', apiKeysPerHour)).toBeLessThan(apiKeysPerHour);
});

it('an address has so many positions synced a minute', () => {
  const { countOf } = openLimits();
  const path = '/api/v1/positions/:market/sync';
  expect(countOf(path, '203.0.113.7', 2 * positionSyncsPerMinute)).toBe(positionSyncsPerMinute);
});
