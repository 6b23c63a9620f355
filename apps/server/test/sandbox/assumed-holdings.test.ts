// What the sandbox assumes of wallets between batches, and when it looks again.
import { type Hex, toPrice, toSize } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { AssumedHoldings } from '../../src/sandbox/assumed-holdings.ts';
import { type FillNeed, findShortfalls } from '../../src/sandbox/shortfall.ts';

/** Ten shares at a half: five of the stablecoin from either side. */
const fill = (buyer: Hex, seller: Hex): FillNeed<Hex> => ({
  buyer,
  seller,
  marketId: '0x01',
  outcome: 0,
  price: toPrice(500_000),
  size: toSize(10_000_000),
  takerSide: 0,
});
const [ann, ben]: [Hex, Hex] = ['0xa1', '0xb2'];

function setUp(balance: bigint) {
  const read: string[][] = [];
  let nowMs = 0;
  const holdings = new AssumedHoldings(
    {
      holdings: async (wallets, shares) => {
        read.push([...wallets]);
        return { money: wallets.map(() => balance), shares: shares.map(() => 0n) };
      },
    },
    () => nowMs,
  );
  const settle = async (...fills: ReturnType<typeof fill>[]) => {
    const known = await holdings.of(fills);
    const gifts = findShortfalls(fills, known.holdings);
    holdings.keep(known.holdings);
    return { gifts: Object.fromEntries(gifts), assumed: [...known.assumed] };
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { read, settle, holdings, pass };
}

describe('assumed holdings', () => {
  it('are read once for a burst and carried forward by its fills', async () => {
    const { read, settle } = setUp(8_000_000n);
    expect(await settle(fill(ann, ben))).toEqual({ gifts: {}, assumed: [] });
    expect(await settle(fill(ann, ben))).toEqual({
      gifts: { [ann]: 2_000_000n, [ben]: 2_000_000n },
      assumed: [ann, ben],
    });
    expect(read).toEqual([[ann, ben], []]);
  });

  it('are read again for a wallet that was invalidated, and for all after a while', async () => {
    const { read, settle, holdings, pass } = setUp(100_000_000n);
    await settle(fill(ann, ben));
    holdings.invalidate(ben);
    expect((await settle(fill(ann, ben))).assumed).toEqual([ann]);
    pass(10_000);
    expect((await settle(fill(ann, ben))).assumed).toEqual([]);
    expect(read).toEqual([[ann, ben], [ben], [ann, ben]]);
  });
});
