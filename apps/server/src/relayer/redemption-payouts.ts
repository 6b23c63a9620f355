// Computes what redemptions would pay, from shares and payouts, as the conditional tokens will.
import { indexSetsOf, type MarketFacts } from '@presage/protocol';
import type { MarketClaim } from '../wallets/wallet-reads.ts';
import type { ExpectedClaim, Redemption, RelayerMarkets } from './ports.ts';

/** Redemption of one market. */
type MarketRedemption = Pick<Redemption, 'indexSets'> & { readonly market: MarketFacts };

/** Splits redemptions by market: one of an event may include several of its markets. */
export function byMarket(
  redemptions: readonly Redemption[],
  markets: Pick<RelayerMarkets, 'decidedBy'>,
): MarketRedemption[] {
  return redemptions.flatMap(({ conditionId, indexSets }) =>
    markets.decidedBy(conditionId).flatMap((market) => {
      const own = indexSets.filter((set) => indexSetsOf(market).includes(set));
      return own.length === 0 ? [] : [{ market, indexSets: own }];
    }),
  );
}

/** Expected claims, one per redemption in the same order; shares that an earlier redemption takes are not counted again. */
export function expectClaims(
  redemptions: readonly Pick<Redemption, 'indexSets'>[],
  markets: readonly MarketFacts[],
  states: readonly Omit<MarketClaim, 'market'>[],
): ExpectedClaim[] {
  const redeemed = new Set<string>();
  return redemptions.map(({ indexSets }, index) => {
    const market = markets[index]!;
    const { marketId, contractAddress } = market;
    const [yes, no] = indexSetsOf(market);
    const state = states[index]!;
    let payout = 0n;
    for (const indexSet of indexSets) {
      const key = `${marketId}/${indexSet}`;
      if (!redeemed.has(key)) payout += payoutOf(state, [yes, no].indexOf(indexSet));
      redeemed.add(key);
    }
    const claim = { marketId, marketAddress: contractAddress, payout: payout.toString() };
    return { ...claim, winningOutcome: winnerOf(state.numerators) };
  });
}

/** `side` is 0 for YES, 1 for NO, and anything else for an index set of another market. */
function payoutOf({ denominator, numerators, shares }: Omit<MarketClaim, 'market'>, side: number): bigint {
  const [held = 0n, pays = 0n] = [shares[side], numerators[side]];
  return denominator === 0n ? 0n : (held * pays) / denominator;
}

/** -1 if both pay: the market is void. */
function winnerOf([yes, no]: readonly [bigint, bigint]): 0 | 1 | -1 {
  if (yes > 0n && no > 0n) return -1;
  return yes > 0n ? 0 : 1;
}
