// Reads of the holders of a market's shares.
import type { MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { toBytes } from '../columns.ts';
import { sharesHeld } from './position-accounting.ts';
import { POSITIONS } from './position-rows.ts';

export type Holders = Awaited<ReturnType<typeof listHolders>>;

/** Most shares of both outcomes first, then by address; `total` counts the wallets with any shares. */
export async function listHolders(sql: Sql, marketId: MarketId, limit: number) {
  const rows = await sql`select p.*, count(*) over () as total from presage_view.positions p
    where p.market_seq = (select seq from presage_view.markets where id = ${toBytes(marketId)})
    and (p.yes_shares > 0 or p.no_shares > 0)
    order by greatest(p.yes_shares, 0) + greatest(p.no_shares, 0) desc, p.wallet limit ${limit}`;
  const top = rows.map(POSITIONS.read).map(({ wallet, yesShares, noShares, yesCost, noCost }) => ({
    wallet,
    yesShares: sharesHeld(yesShares),
    noShares: sharesHeld(noShares),
    totalInvested: yesCost + noCost,
  }));
  return { top, total: Number(rows[0]?.total ?? 0) };
}
