// Reads of outstanding shares and of the stablecoin that must back them.
import type { Bytes32, MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, exact, named } from '../columns.ts';
import { sharesHeld } from '../positions/position-accounting.ts';

const SHARES = new Selection({
  marketId: named('id', bytes<MarketId>()),
  yesShares: exact(),
  noShares: exact(),
  /** Locked stablecoin. */
  locked: exact(),
});

export interface ChainSharesRow {
  readonly markets: number;
  readonly locked: bigint;
}

const EVENT_SHARES = new Selection({
  eventId: bytes<Bytes32>(),
  /** Locked stablecoin. */
  locked: exact(),
});

/** Markets with locked collateral, highest first; without those of events, which are backed together. */
export async function listMarketShares(sql: Sql, chainId: number | undefined, limit: number) {
  const rows = await sql`select m.id, s.yes_shares, s.no_shares, s.locked from presage_view.market_shares s
    join presage_view.markets m on m.seq = s.market_seq
    where s.locked > 0 and s.event_id is null ${chainId === undefined ? sql`` : sql`and s.chain_id = ${chainId}`}
    order by s.locked desc, s.market_seq limit ${limit}`;
  return rows.map(SHARES.read).map(({ yesShares, noShares, ...row }) => {
    return { ...row, yesShares: sharesHeld(yesShares), noShares: sharesHeld(noShares) };
  });
}

/** Events, highest locked collateral first. */
export async function listEventShares(sql: Sql, chainId: number | undefined, limit: number) {
  const rows = await sql`select e.event_id, e.locked from (${lockedByEvent(sql)}) e
    where e.locked > 0 ${chainId === undefined ? sql`` : sql`and e.chain_id = ${chainId}`}
    order by e.locked desc, e.event_id limit ${limit}`;
  return rows.map(EVENT_SHARES.read);
}

/**
 * Collateral of an undecided event is what any of its results would pay: YES of the winner and NO of all others. Except
 * for trades that are not settled yet, all results pay the same, so the highest is taken. An outcome without any shares
 * pays the NO of the others.
 */
function lockedByEvent(sql: Sql) {
  return sql`select s.event_id, min(s.chain_id) as chain_id, count(*) as markets,
      case when bool_and(s.yes_payout is not null) then sum(s.locked)
      else sum(s.no_shares) + greatest(max(s.yes_shares - s.no_shares),
        case when count(*) < min(m.event_count) then 0 end) end as locked
    from presage_view.market_shares s join presage_view.markets m on m.seq = s.market_seq
    where s.event_id is not null group by s.event_id`;
}

/** Sums by chain. */
export async function sumMarketShares(sql: Sql): Promise<Map<number, ChainSharesRow>> {
  const rows = await sql`select chain_id, sum(markets) as markets, sum(locked) as locked from (
      select chain_id, count(*) as markets, sum(locked) as locked from presage_view.market_shares
      where locked > 0 and event_id is null group by chain_id
      union all select chain_id, markets, locked from (${lockedByEvent(sql)}) e where locked > 0
    ) backed group by chain_id`;
  return new Map(
    rows.map((row) => [Number(row.chain_id), { markets: Number(row.markets), locked: BigInt(row.locked) }]),
  );
}
