// The relayer's balance as days left, by what it was seen to spend.
import { describe, expect, it } from 'vitest';
import { RelayerRunway } from '../../src/api/chain-probe.ts';

const HOUR = 3_600_000;

function openRunway() {
  let nowMs = 0;
  const runway = new RelayerRunway(() => nowMs);
  return (atMs: number, balance: bigint | null) => {
    nowMs = atMs;
    return runway.observe(balance === null ? null : balance.toString());
  };
}

describe('the runway of the relayer', () => {
  it('is unknown in the first minute, and while the chain is unreachable', () => {
    const observe = openRunway();
    const unknown = { spentPerDay: null, daysLeft: null };
    expect(observe(0, 1_000n)).toEqual(unknown);
    expect(observe(30_000, 900n)).toEqual(unknown);
    expect(observe(90_000, null)).toEqual(unknown);
  });

  it('is the balance divided by the spending rate', () => {
    const observe = openRunway();
    observe(0, 1_000n);
    expect(observe(HOUR, 990n)).toEqual({ spentPerDay: '240', daysLeft: 4.1 });
  });

  it('has no end while nothing is spent', () => {
    const observe = openRunway();
    observe(0, 1_000n);
    expect(observe(HOUR, 1_000n)).toEqual({ spentPerDay: '0', daysLeft: null });
  });

  it('does not count a top-up as negative spending', () => {
    const observe = openRunway();
    observe(0, 1_000n);
    observe(HOUR, 990n);
    observe(2 * HOUR, 5_000n);
    expect(observe(3 * HOUR, 4_980n)).toEqual({ spentPerDay: '240', daysLeft: 20.7 });
  });

  it('drops what is older than a day', () => {
    const observe = openRunway();
    observe(0, 1_000_000n);
    for (let hour = 1; hour <= 60; hour++) observe(hour * HOUR, hour < 30 ? 900_000n : 900_000n - BigInt(hour));
    expect(observe(60 * HOUR, 899_940n).spentPerDay).toBe('24');
  });
});
