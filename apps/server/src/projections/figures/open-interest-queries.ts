// Reads what is locked in the markets of each chain.
import type { Sql } from '../../store/column-types.ts';

/** By chain; those without a locked unit are left out. Reads the markets that have something locked, and no other. */
export async function listOpenInterest(sql: Sql): Promise<Map<number, bigint>> {
  const rows = await sql`select chain_id, sum(locked) as locked from presage_view.market_shares
    where locked > 0 group by chain_id`;
  return new Map(rows.map((row) => [Number(row.chain_id), BigInt(row.locked)]));
}
