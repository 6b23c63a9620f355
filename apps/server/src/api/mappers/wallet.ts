// What a wallet holds and may claim, as the wire shows it.
import {
  type ClaimableList,
  type ClaimData,
  toChecksumAddress,
  type WalletApprovals,
  type WalletBalances,
} from '@presage/protocol';
import type { WalletApprovals as Approvals, MarketClaim } from '../../wallets/wallet-reads.ts';
import type { Answer } from '../answer.ts';
import type { WalletBalances as Balances } from '../services.ts';

export function toBalances({ balance, allowance, reserved, available }: Balances): Answer<typeof WalletBalances> {
  return {
    balance: balance.toString(),
    allowance: allowance.toString(),
    reserved: reserved.toString(),
    available: available.toString(),
  };
}

export function toApprovals(approvals: Approvals): Answer<typeof WalletApprovals> {
  const { settlement, conditionalTokens, settlementAllowance, tokensAllowance, sharesApproved } = approvals;
  return {
    settlement: {
      address: toChecksumAddress(settlement),
      allowance: settlementAllowance.toString(),
      sharesApproved,
    },
    conditionalTokens: { address: toChecksumAddress(conditionalTokens), allowance: tokensAllowance.toString() },
  };
}

/** One entry for each outcome that pays and is held: a void market may have two. */
export function toClaimableList(claims: readonly MarketClaim[]): Answer<typeof ClaimableList> {
  const claimable = claims.flatMap(({ market, denominator, numerators, shares }) =>
    ([0, 1] as const)
      .filter((outcome) => numerators[outcome] > 0n && shares[outcome] > 0n)
      .map((outcome) => ({
        market_id: market.marketId,
        contract_address: toChecksumAddress(market.contractAddress),
        outcome_label: outcome === 0 ? ('YES' as const) : ('NO' as const),
        balance: shares[outcome],
        payout: (shares[outcome] * numerators[outcome]) / denominator,
      })),
  );
  const totalPayout = claimable.reduce((total, { payout }) => total + payout, 0n);
  return { claimable, count: claimable.length, totalPayout };
}

export function toClaimData(
  { market, denominator, numerators, shares }: MarketClaim,
  nonce: bigint,
): Answer<typeof ClaimData> {
  return {
    market_address: toChecksumAddress(market.contractAddress),
    market_id: market.marketId,
    resolved: denominator > 0n,
    winning_outcome: denominator > 0n ? winnerOf(numerators) : null,
    winning_balance: (numerators[0] > 0n ? shares[0] : 0n) + (numerators[1] > 0n ? shares[1] : 0n),
    ctf_address: toChecksumAddress(market.conditionalTokens),
    collateral_token: toChecksumAddress(market.stablecoin),
    condition_id: market.marketId,
    ctf_nonce: nonce,
  };
}

/** -1 when both pay: the market was void. */
function winnerOf([yes, no]: readonly [bigint, bigint]): 0 | 1 | -1 {
  if (yes > 0n && no > 0n) return -1;
  return yes > 0n ? 0 : 1;
}
