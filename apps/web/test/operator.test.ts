// The headline of the operator's screen names what does not work.
import type { ServiceStatus } from '@presage/sdk';
import { describe, expect, it } from 'vitest';
import { tilesOf, verdictOf } from '../src/lib/operator.ts';

function statusWith(feed: object): ServiceStatus {
  const dependencies = { journal: { up: true }, engine: { up: true } };
  return { dependencies, rates: { ordersPerSecond: 0 }, feeds: [feed] } as unknown as ServiceStatus;
}

describe("the operator's headline", () => {
  it('says that everything works while prices are fresh', () => {
    const status = statusWith({ asset: 'BTC', fresh: true, ageMs: 1_000, source: 'pyth' });
    expect(verdictOf(tilesOf(status))).toBe('Everything works.');
  });

  it('does not say that trading works while the orders of a quick market are refused for want of a price', () => {
    const status = statusWith({ asset: 'BTC', fresh: false, ageMs: 60_000, source: 'pyth' });
    expect(verdictOf(tilesOf(status))).toBe('BTC feed is down.');
  });
});
