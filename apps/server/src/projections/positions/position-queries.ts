// Reads of positions: a wallet's in one market, and all it holds on a chain.
import type { Address, MarketId } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes } from '../column-values.ts';
import { sharesHeld } from './position-accounting.ts';

export interface PositionRow {
  readonly marketId: MarketId;
  readonly userAddress: Address;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  readonly yesCost: bigint;
  readonly noCost: bigint;
  readonly yesRevenue: bigint;
  readonly noRevenue: bigint;
  readonly realizedPnl: bigint;
  /** yesCost + noCost. */
  readonly totalInvested: bigint;
  /** Of the last fill, failure or share event. */
  readonly updatedMs: number;
}

export interface UserPositionRow extends PositionRow {
  readonly question: string;
  readonly contractAddress: Address;
  /** Unix seconds. */
  readonly expiration: number;
  readonly isResolved: boolean;
}

/** Undefined when the wallet never traded there and nothing was found on chain. */
export async function findPosition(sql: Sql, wallet: Address, marketId: MarketId): Promise<PositionRow | undefined> {
  const [row] = await sql`select p.*, m.id as market_id from presage_view.positions p
    join presage_view.markets m on m.seq = p.market_seq where p.wallet = ${toBytes(wallet)} and m.id = ${toBytes(marketId)}`;
  return row && toPositionRow(row);
}

/** Only where shares are held, in the order the markets were listed. */
export async function listPositions(sql: Sql, wallet: Address, chainId: number): Promise<UserPositionRow[]> {
  const rows = await sql`select p.*, m.id as market_id, m.question, m.contract_address, m.expiration, m.yes_payout
    from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
    where p.wallet = ${toBytes(wallet)} and m.chain_id = ${chainId} and (p.yes_shares > 0 or p.no_shares > 0)
    order by m.listed_ms, p.market_seq`;
  return rows.map((row) => {
    const contractAddress = hexOf(row.contract_address);
    const market = { question: row.question, contractAddress, expiration: Number(row.expiration) };
    return { ...toPositionRow(row), ...market, isResolved: row.yes_payout !== null };
  });
}

function toPositionRow(row: Row): PositionRow {
  const yesCost = BigInt(row.yes_cost);
  const noCost = BigInt(row.no_cost);
  return {
    marketId: hexOf(row.market_id),
    userAddress: hexOf(row.wallet),
    yesShares: sharesHeld(BigInt(row.yes_shares)),
    noShares: sharesHeld(BigInt(row.no_shares)),
    yesCost,
    noCost,
    yesRevenue: BigInt(row.yes_revenue),
    noRevenue: BigInt(row.no_revenue),
    realizedPnl: BigInt(row.realized_pnl),
    totalInvested: yesCost + noCost,
    updatedMs: Number(row.updated_ms),
  };
}
