// Events as TypeScript names them, on chain: the ids of their markets, and what a fill in one of them and a conversion cost.
import { readOutcomeMarketId, toOutcomeMarketId } from '@presage/protocol';
import { seedFromEnv } from '@presage/testkit';
import fc from 'fast-check';
import { toHex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../bench/gas/cases.ts';
import { measureConversion } from '../../bench/gas/conversion.ts';
import { conditionalTokensWithPermitAbi } from '../generated/abi.ts';
import { World } from './world.ts';

const seed = seedFromEnv(20261117);

describe('the id of an outcome’s market', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });

  it.each([2, 3, 8, 64, 128])('is the one that the contracts know, in an event of %i outcomes', async (count) => {
    const eventId = await world.prepareEvent(count);
    for (const index of [0, 1, count - 1]) {
      const market = await world.chain.client.readContract({
        address: world.shares,
        abi: conditionalTokensWithPermitAbi,
        functionName: 'marketOf',
        args: [toOutcomeMarketId(eventId, index, count)],
      });
      const yes = 1n << BigInt(index);
      expect(market).toEqual([eventId, yes, ((1n << BigInt(count)) - 1n) ^ yes]);
    }
  });

  it('says which outcome it is of', () => {
    const word = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }).map((value) => toHex(value, { size: 32 }));
    fc.assert(
      fc.property(word, fc.integer({ min: 2, max: 128 }), fc.nat(127), (eventId, count, drawn) => {
        const index = drawn % count;
        expect(readOutcomeMarketId(toOutcomeMarketId(eventId, index, count))).toEqual({ index, count });
      }),
      { seed },
    );
  });
});

describe('the gas of events', () => {
  it('is at most 1,500 more for a fill than in a single market', async () => {
    const trade = { title: '', buyers: 1, sellers: 10, sellersHoldShares: true, isDear: true } as const;
    const [single, ofEvent] = [await measure(trade), await measure({ ...trade, outcomes: 8 })];
    expect(ofEvent.settled).toBe(10);
    expect(ofEvent.mean - single.mean).toBeLessThanOrEqual(1_500);
  });

  it('stays below 400,000 for a conversion of five NO among eight outcomes', async () => {
    expect(await measureConversion({ outcomes: 8, converted: 5 })).toBeLessThan(400_000);
  });
});
