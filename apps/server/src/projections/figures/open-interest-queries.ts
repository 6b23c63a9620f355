// Reads what is locked in the markets of each chain.
import { PRICE_SCALE } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';

/**
 * What is locked, by chain: one unit of stablecoin for each pair of YES and NO outstanding; once a market is decided, what its
 * shares pay. Until then shares are made and unmade in pairs only, so the outcome of which wallets are seen to hold more
 * shows how many there are; chains without a position are left out.
 */
export async function listOpenInterest(sql: Sql): Promise<Map<number, bigint>> {
  const rows = await sql`select m.chain_id, sum(case when m.yes_payout is null then greatest(held.yes, held.no)
      else div(held.yes * m.yes_payout + held.no * m.no_payout, ${PRICE_SCALE}::numeric) end) as locked from (
      select market_seq, sum(yes_shares) as yes, sum(no_shares) as no from presage_view.positions group by market_seq
    ) held join presage_view.markets m on m.seq = held.market_seq group by m.chain_id`;
  return new Map(rows.map((row) => [Number(row.chain_id), BigInt(row.locked)]));
}
