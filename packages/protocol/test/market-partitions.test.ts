// A market's partition never changes, and the markets of an event share one.
import { describe, expect, it } from 'vitest';
import { MAX_OUTCOMES, MIN_OUTCOMES, partitionOfMarket, toOutcomeMarketId } from '../src/index.ts';

/** Ids with their partitions of 2, 4, 7 and 64, as releases before events computed them. */
const SINGLE_MARKETS = [
  ['0xca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb', 1, 1, 5, 49],
  ['0x3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d', 1, 1, 4, 9],
  ['0x2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6', 1, 3, 4, 43],
  ['0x18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4', 1, 3, 0, 63],
  ['0x3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea', 0, 0, 2, 36],
  ['0x252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111', 0, 0, 1, 52],
] as const;

describe('the partition of a market', () => {
  it('is what it was before there were events', () => {
    for (const [id, ...partitions] of SINGLE_MARKETS) {
      expect([2, 4, 7, 64].map((count) => partitionOfMarket(id, count))).toEqual(partitions);
    }
  });

  it('is the same for all outcomes of an event', () => {
    for (const [eventId] of SINGLE_MARKETS) {
      for (let count = MIN_OUTCOMES; count <= MAX_OUTCOMES; count++) {
        const outcomes = Array.from({ length: count }, (_, index) => toOutcomeMarketId(eventId, index, count));
        expect(new Set(outcomes.map((id) => partitionOfMarket(id, 64))).size).toBe(1);
      }
    }
  });

  it('differs between events', () => {
    const partitions = SINGLE_MARKETS.map(([eventId]) => partitionOfMarket(toOutcomeMarketId(eventId, 1, 3), 64));
    expect(new Set(partitions).size).toBeGreaterThan(1);
  });
});
