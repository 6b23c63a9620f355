// What fills that are not mined yet change a wallet's balance by: what the API shows as `unsettled`.
import { BUY, NO, SELL, YES } from '@presage/protocol';
import { TEST_MARKET, TRADERS } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { netOfFills, shareKey, type UnminedFill } from '../../src/wallets/reserve.ts';

const { alice, bob } = TRADERS;

/** Ten shares of YES at 0.60: they cost six. */
function fill(params: Partial<UnminedFill>): UnminedFill {
  const common = { marketId: TEST_MARKET, outcome: YES, price: 600_000, size: 10_000_000, takerSide: BUY };
  return { ...common, buyer: alice, seller: bob, ...params } as UnminedFill;
}

interface Row {
  readonly fills: readonly UnminedFill[];
  readonly net: bigint;
  /** Shares of YES before the fills. */
  readonly held?: bigint;
}

const rows: [string, Row][] = [
  ['nothing without fills', { fills: [], net: 0n }],
  ['nothing by the trades of others', { fills: [fill({ buyer: bob })], net: 0n }],
  ['a purchase takes its cost', { fills: [fill({})], net: -6_000_000n }],
  ['a taker pays the fee on top', { fills: [fill({ fee: 50_000, makerRebate: 20_000 })], net: -6_050_000n }],
  [
    'a maker gets its part of it',
    { fills: [fill({ takerSide: SELL, fee: 50_000, makerRebate: 20_000 })], net: -5_980_000n },
  ],
  [
    'a sale of held shares brings its price',
    { fills: [fill({ buyer: bob, seller: alice })], net: 6_000_000n, held: 10_000_000n },
  ],
  [
    'a sale pays for what it mints',
    { fills: [fill({ buyer: bob, seller: alice })], net: 6_000_000n - 4_000_000n, held: 6_000_000n },
  ],
  ['shares that were bought before are sold', { fills: [fill({}), fill({ buyer: bob, seller: alice })], net: 0n }],
  [
    'what a sale has minted is sold as the other outcome',
    {
      fills: [
        fill({ buyer: bob, seller: alice }),
        fill({ buyer: bob, seller: alice, outcome: NO, price: 300_000 as UnminedFill['price'] }),
      ],
      net: 6_000_000n - 10_000_000n + 3_000_000n,
    },
  ],
  [
    'a trade with oneself sells first',
    { fills: [fill({ seller: alice, fee: 50_000, makerRebate: 20_000 })], net: -10_000_000n - 30_000n },
  ],
];

describe('what unmined fills change the balance by', () => {
  it.each(rows)('%s', (_, { fills, net, held = 0n }) => {
    const shares = new Map([[shareKey(TEST_MARKET, YES), held]]);
    expect(netOfFills({ fills, wallet: alice, shares })).toBe(net);
  });
});
