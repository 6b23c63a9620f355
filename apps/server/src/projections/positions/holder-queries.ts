// Reads of who holds a market's shares.
import type { Address, MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes } from '../column-values.ts';
import { sharesHeld } from './position-accounting.ts';

interface HolderRow {
  readonly wallet: Address;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  readonly totalInvested: bigint;
}

export interface Holders {
  /** Most shares of both outcomes first, then by address. */
  readonly top: readonly HolderRow[];
  /** Wallets that hold anything. */
  readonly total: number;
}

export async function listHolders(sql: Sql, marketId: MarketId, limit: number): Promise<Holders> {
  const rows = await sql`select p.*, count(*) over () as total from presage_view.positions p
    where p.market_seq = (select seq from presage_view.markets where id = ${toBytes(marketId)})
    and (p.yes_shares > 0 or p.no_shares > 0)
    order by greatest(p.yes_shares, 0) + greatest(p.no_shares, 0) desc, p.wallet limit ${limit}`;
  const top = rows.map((row) => ({
    wallet: hexOf(row.wallet),
    yesShares: sharesHeld(BigInt(row.yes_shares)),
    noShares: sharesHeld(BigInt(row.no_shares)),
    totalInvested: BigInt(row.yes_cost) + BigInt(row.no_cost),
  }));
  return { top, total: Number(rows[0]?.total ?? 0) };
}
