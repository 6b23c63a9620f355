// Reads of outstanding shares, and of the stablecoin that must back them.
import type { MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, exact, named } from '../columns.ts';
import { sharesHeld } from '../positions/position-accounting.ts';

const SHARES = new Selection({
  marketId: named('id', bytes<MarketId>()),
  yesShares: exact(),
  noShares: exact(),
  /** Stablecoin. */
  locked: exact(),
});

export interface ChainSharesRow {
  readonly markets: number;
  readonly locked: bigint;
}

/** The most locked first; markets without anything locked are left out. */
export async function listMarketShares(sql: Sql, chainId: number | undefined, limit: number) {
  const rows = await sql`select m.id, s.yes_shares, s.no_shares, s.locked from presage_view.market_shares s
    join presage_view.markets m on m.seq = s.market_seq
    where s.locked > 0 ${chainId === undefined ? sql`` : sql`and s.chain_id = ${chainId}`}
    order by s.locked desc, s.market_seq limit ${limit}`;
  return rows.map(SHARES.read).map(({ yesShares, noShares, ...row }) => {
    return { ...row, yesShares: sharesHeld(yesShares), noShares: sharesHeld(noShares) };
  });
}

/** Sums by chain. */
export async function sumMarketShares(sql: Sql): Promise<Map<number, ChainSharesRow>> {
  const rows = await sql`select chain_id, count(*) as markets, sum(locked) as locked from presage_view.market_shares
    where locked > 0 group by chain_id`;
  return new Map(
    rows.map((row) => [Number(row.chain_id), { markets: Number(row.markets), locked: BigInt(row.locked) }]),
  );
}
