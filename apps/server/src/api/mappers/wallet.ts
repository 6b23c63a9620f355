// Maps a wallet's balances and claims to the wire.
import { conditionOf, indexSetsOf, toChecksumAddress } from '@presage/protocol';
import type { WalletApprovals as Approvals, MarketClaim } from '../../wallets/wallet-reads.ts';
import type { WalletBalances as Balances } from '../../wallets/wallet-service.ts';
import type { Wire } from '../answer.ts';

export function toBalances(balances: Balances): Wire<'WalletBalances'> {
  const { balance, allowance, deposited, reserved, available } = balances;
  return {
    balance: balance.toString(),
    allowance: allowance.toString(),
    reserved: reserved.toString(),
    available: available.toString(),
    ...(deposited > 0n && { deposited: deposited.toString() }),
  };
}

export function toApprovals(approvals: Approvals): Wire<'WalletApprovals'> {
  const { settlement, conditionalTokens, settlementAllowance, tokensAllowance, sharesApproved, haltedAfter } =
    approvals;
  return {
    settlement: {
      address: toChecksumAddress(settlement),
      allowance: settlementAllowance.toString(),
      sharesApproved,
      haltEffectiveAfter: haltedAfter === 0n ? null : Number(haltedAfter),
    },
    conditionalTokens: { address: toChecksumAddress(conditionalTokens), allowance: tokensAllowance.toString() },
  };
}

/** One entry per outcome that pays and is held; a void market may have two. */
export function toClaimableList(claims: readonly MarketClaim[]): Wire<'ClaimableList'> {
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

/** One entry; for a void market one per outcome held, so that a client that redeems entry by entry gets everything. */
export function toClaimData(claim: MarketClaim, nonce: bigint): Wire<'ClaimData'>[] {
  const { denominator, numerators, shares } = claim;
  if (denominator === 0n) return [toClaimEntry(claim, nonce, null)];
  const paying = ([0, 1] as const).filter((outcome) => numerators[outcome] > 0n);
  const held = paying.filter((outcome) => shares[outcome] > 0n);
  return (held.length > 0 ? held : paying.slice(0, 1)).map((outcome) => toClaimEntry(claim, nonce, outcome));
}

function toClaimEntry({ market, shares }: MarketClaim, nonce: bigint, outcome: 0 | 1 | null): Wire<'ClaimData'> {
  return {
    market_address: toChecksumAddress(market.contractAddress),
    market_id: market.marketId,
    resolved: outcome !== null,
    winning_outcome: outcome,
    winning_balance: outcome === null ? 0n : shares[outcome],
    ctf_address: toChecksumAddress(market.conditionalTokens),
    collateral_token: toChecksumAddress(market.stablecoin),
    condition_id: conditionOf(market),
    index_sets: indexSetsOf(market).map(String),
    ctf_nonce: nonce,
  };
}
