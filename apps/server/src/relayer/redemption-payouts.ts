// What redemptions would pay, computed from shares and payouts as the conditional tokens will.
import type { MarketFacts } from '@presage/protocol';
import type { MarketClaim } from '../wallets/wallet-reads.ts';
import type { ExpectedClaim, Redemption } from './ports.ts';

const YES_SET = 1n;
const NO_SET = 2n;

/** One claim a redemption, in their order; what an earlier one of the list redeems, a later one does not find. */
export function expectClaims(
  redemptions: readonly Pick<Redemption, 'indexSets'>[],
  markets: readonly MarketFacts[],
  states: readonly Omit<MarketClaim, 'market'>[],
): ExpectedClaim[] {
  const redeemed = new Set<string>();
  return redemptions.map(({ indexSets }, index) => {
    const { marketId, contractAddress } = markets[index]!;
    const state = states[index]!;
    let payout = 0n;
    for (const indexSet of indexSets) {
      const key = `${marketId}/${indexSet}`;
      if (!redeemed.has(key)) payout += payoutOf(state, indexSet);
      redeemed.add(key);
    }
    const claim = { marketId, marketAddress: contractAddress, payout: payout.toString() };
    return { ...claim, winningOutcome: winnerOf(state.numerators) };
  });
}

function payoutOf({ denominator, numerators, shares }: Omit<MarketClaim, 'market'>, indexSet: bigint): bigint {
  if (denominator === 0n) return 0n;
  if (indexSet === YES_SET) return (shares[0] * numerators[0]) / denominator;
  return indexSet === NO_SET ? (shares[1] * numerators[1]) / denominator : 0n;
}

/** -1 when both pay: the market was void. */
function winnerOf([yes, no]: readonly [bigint, bigint]): 0 | 1 | -1 {
  if (yes > 0n && no > 0n) return -1;
  return yes > 0n ? 0 : 1;
}
