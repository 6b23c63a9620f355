// Reads of claims and of payouts: what is on its way, what failed, and what a wallet was paid.
import type { Address, ClaimOutcome, ClaimStatus, MarketId, TransactionHash } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes } from '../column-values.ts';

export interface ClaimRow {
  readonly txHash: TransactionHash;
  readonly userAddress: Address;
  readonly marketAddress: Address;
  readonly marketId: MarketId;
  readonly payout: bigint;
  readonly winningOutcome: ClaimOutcome;
  /** Unix seconds. */
  readonly submittedAt: number;
}

export interface FailedClaimRow extends ClaimRow {
  readonly reason: string;
}

/** Newest first. */
export async function listPendingClaims(sql: Sql, limit: number): Promise<ClaimRow[]> {
  const rows = await sql`select c.*, m.id as market_id from presage_view.claims c
    join presage_view.markets m on m.seq = c.market_seq where c.status = 'pending' order by c.submitted_at desc, c.seq desc limit ${limit}`;
  return rows.map(toClaimRow);
}

export async function listFailedClaims(sql: Sql, limit: number): Promise<FailedClaimRow[]> {
  const rows = await sql`select c.*, m.id as market_id from presage_view.claims c
    join presage_view.markets m on m.seq = c.market_seq where c.status = 'failed' order by c.submitted_at desc, c.seq desc limit ${limit}`;
  return rows.map((row) => ({ ...toClaimRow(row), reason: row.reason ?? '' }));
}

function toClaimRow(row: Row): ClaimRow {
  return {
    txHash: hexOf(row.tx_hash),
    userAddress: hexOf(row.wallet),
    marketAddress: hexOf(row.market_address),
    marketId: hexOf(row.market_id),
    payout: BigInt(row.payout),
    winningOutcome: row.winning_outcome,
    submittedAt: Number(row.submitted_at),
  };
}

export interface UserPayoutsQuery {
  readonly wallet: Address;
  readonly chainId: number;
  readonly limit: number;
}

export interface UserPayoutRow {
  readonly marketId: MarketId;
  readonly question: string;
  readonly contractAddress: Address;
  readonly txHash: TransactionHash;
  readonly payout: bigint;
  readonly winningOutcome: ClaimOutcome;
  /** Unix seconds: of the block, or of the submission while it is pending. */
  readonly timestamp: number;
  readonly status: ClaimStatus;
}

/** Newest first: every redemption on chain, no matter who sent it, and pending claims. */
export async function listUserPayouts(
  sql: Sql,
  { wallet, chainId, limit }: UserPayoutsQuery,
): Promise<UserPayoutRow[]> {
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
  return rows.map((row) => ({
    marketId: hexOf(row.market_id),
    question: row.question,
    contractAddress: hexOf(row.contract_address),
    txHash: hexOf(row.tx_hash),
    payout: BigInt(row.payout),
    winningOutcome: row.winning_outcome,
    timestamp: Number(row.timestamp),
    status: row.status,
  }));
}
