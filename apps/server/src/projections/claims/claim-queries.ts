// Reads of claims and payouts: pending and failed claims, and what a wallet was paid.
import type { ClaimStatus, MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, integer, pick, type RowOf, toBytes } from '../columns.ts';
import { MARKETS } from '../markets/market-rows.ts';
import type { UserQuery } from '../users/user-queries.ts';
import { CLAIMS } from './claim-model.ts';

const CLAIM_ROWS = new Selection({
  ...pick(CLAIMS.columns, 'txHash', 'userAddress', 'marketAddress', 'payout', 'winningOutcome', 'submittedAt'),
  marketId: bytes<MarketId>(),
});
const FAILED_ROWS = new Selection({ ...CLAIM_ROWS.columns, ...pick(CLAIMS.columns, 'reason') });

export type ClaimRow = RowOf<typeof CLAIM_ROWS.columns>;
export type FailedClaimRow = ClaimRow & { readonly reason: string };

/** Pending claims, newest first. */
export async function listPendingClaims(sql: Sql, limit: number): Promise<ClaimRow[]> {
  return (await selectClaims(sql, 'pending', limit)).map(CLAIM_ROWS.read);
}

export async function listFailedClaims(sql: Sql, limit: number): Promise<FailedClaimRow[]> {
  const rows = (await selectClaims(sql, 'failed', limit)).map(FAILED_ROWS.read);
  return rows.map((row) => ({ ...row, reason: row.reason ?? '' }));
}

function selectClaims(sql: Sql, status: ClaimStatus, limit: number) {
  return sql`select c.*, m.id as market_id from presage_view.claims c
    join presage_view.markets m on m.seq = c.market_seq
    where c.status = ${status} order by c.submitted_at desc, c.seq desc limit ${limit}`;
}

const PAYOUT_ROWS = new Selection({
  marketId: bytes<MarketId>(),
  ...pick(MARKETS.columns, 'question', 'contractAddress'),
  ...pick(CLAIMS.columns, 'txHash', 'payout', 'winningOutcome', 'status'),
  /** Unix seconds: block time, or the time of submission while pending. */
  timestamp: integer(),
});
export type UserPayoutRow = RowOf<typeof PAYOUT_ROWS.columns>;

/** Every redemption on chain, whoever sent it, and pending claims; newest first. */
export async function listUserPayouts(sql: Sql, { wallet, chainId, limit }: UserQuery): Promise<UserPayoutRow[]> {
  const key = toBytes(wallet);
  const rows = await sql`with payouts as (
      select market_seq, seq, tx_hash, payout, winning_outcome, timestamp, 'confirmed' as status
      from presage_view.share_events where wallet = ${key} and cause = 'redemption'
      union all select c.market_seq, c.seq, c.tx_hash, c.payout, c.winning_outcome, c.submitted_at, c.status
      from presage_view.claims c where c.wallet = ${key} and c.status = 'pending' and not exists (
        select 1 from presage_view.share_events w where w.wallet = ${key} and w.market_seq = c.market_seq
        and w.tx_hash = c.tx_hash)
    ) select p.*, m.id as market_id, m.question, m.contract_address from payouts p
    join presage_view.markets m on m.seq = p.market_seq and m.chain_id = ${chainId}
    order by p.timestamp desc, p.seq desc limit ${limit}`;
  return rows.map(PAYOUT_ROWS.read);
}
