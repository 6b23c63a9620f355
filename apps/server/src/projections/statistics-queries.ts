// Reads over all markets of a chain.
import type { Sql } from '../store/column-types.ts';

/**
 * Pairs of YES and NO in being, by chain: each locks one unit of stablecoin. Shares are made and unmade in pairs only, so the
 * outcome of which wallets are seen to hold more tells how many there are; chains without a position are left out.
 */
export async function listOpenInterest(sql: Sql): Promise<Map<number, bigint>> {
  const rows = await sql`select m.chain_id, sum(held.pairs) as pairs from (
      select market_seq, greatest(sum(yes_shares), sum(no_shares)) as pairs from presage_view.positions group by market_seq
    ) held join presage_view.markets m on m.seq = held.market_seq group by m.chain_id`;
  return new Map(rows.map((row) => [Number(row.chain_id), BigInt(row.pairs)]));
}
