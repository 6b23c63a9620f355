// Reads whole tables of the view in pages that continue after the last row, so that no slow reader holds a connection.
import type { Address, ClaimStatus, MarketId } from '@presage/protocol';
import type { Fragment } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { CLAIMS } from '../claims/claim-model.ts';
import { bytes, integer, orNull, pick, type RowOf, text, toBytes } from '../columns.ts';
import { MARKETS } from '../markets/market-rows.ts';
import { sharesHeld } from '../positions/position-accounting.ts';
import { POSITIONS } from '../positions/position-rows.ts';
import { selectTrades, TRADE_ROWS } from '../trades/trade-select.ts';

/** Range of row times: `fromMs` is included, `toMs` excluded. */
export interface ExportRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** Only rows of this wallet; all rows if absent. */
  readonly wallet?: Address | undefined;
  readonly limit: number;
}

const OF_MARKET = pick(MARKETS.columns, 'chainId', 'question', 'eventId', 'eventName');

const ofMarket = (sql: Sql) => sql`m.chain_id, m.question, m.event_id, m.event_name`;

const EXPORTED_TRADES = new Selection({ ...TRADE_ROWS.columns, ...OF_MARKET });
export type ExportedTradeRow = RowOf<typeof EXPORTED_TRADES.columns>;

/** Trades in journal order, failed ones included. */
export async function listExportedTrades(
  sql: Sql,
  { fromMs, toMs, wallet, limit, afterSeq }: ExportRange & { readonly afterSeq: number },
): Promise<ExportedTradeRow[]> {
  // The addition keeps the planner from reading a market by time, which would sort all its remaining trades for every
  // page.
  const inRange = sql`t.time_ms + 0 >= ${fromMs} and t.time_ms + 0 < ${toMs} and t.seq > ${afterSeq}`;
  const next =
    wallet === undefined
      ? sql`select t.seq from presage_view.trades t where ${inRange}`
      : nextOf(sql, toBytes(wallet), { inRange, limit });
  const rows = await sql`with next as materialized (${next} order by seq limit ${limit})
    select t.*, ${ofMarket(sql)} from next join (${selectTrades(sql)} where t.seq > ${afterSeq}) t on t.seq = next.seq
    join presage_view.markets m on m.seq = t.market_seq order by t.seq`;
  return rows.map(EXPORTED_TRADES.read);
}

/** Looks up the wallet's next trades in each of its markets: the indexes are by wallet and market. */
function nextOf(sql: Sql, key: Buffer, { inRange, limit }: { inRange: Fragment; limit: number }) {
  const nextAs = (party: 'buyer' | 'seller') => sql`select t.seq from presage_view.positions p cross join lateral (
      select t.seq from presage_view.trades t where t.${sql(party)} = ${key} and t.market_seq = p.market_seq
      and ${inRange} order by t.seq limit ${limit}
    ) t where p.wallet = ${key}`;
  return sql`${nextAs('buyer')} union ${nextAs('seller')}`;
}

const EXPORTED_CLAIMS = new Selection({
  ...pick(CLAIMS.columns, 'seq', 'txHash', 'userAddress', 'payout', 'winningOutcome', 'reason'),
  status: text<ClaimStatus>(),
  marketId: bytes<MarketId>(),
  ...OF_MARKET,
  /** Unix seconds: block time, or time of submission of a claim that is not on chain. */
  timestamp: integer(),
});
export type ExportedClaimRow = RowOf<typeof EXPORTED_CLAIMS.columns>;

/** Position of a page among claims, which are ordered by time. */
export interface ClaimPlace {
  readonly timestamp: number;
  readonly seq: number;
}

/** Every redemption on chain, whoever sent it, and pending or failed claims; oldest first. */
export async function listExportedClaims(
  sql: Sql,
  { fromMs, toMs, wallet, limit, after }: ExportRange & { readonly after: ClaimPlace },
): Promise<ExportedClaimRow[]> {
  const [from, to] = [Math.ceil(fromMs / 1_000), Math.ceil(toMs / 1_000)];
  const ofWallet = wallet === undefined ? sql`` : sql`and wallet = ${toBytes(wallet)}`;
  const rows = await sql`with payouts as (
      (select market_seq, seq, tx_hash, wallet, payout, winning_outcome, timestamp, 'confirmed' as status, null as reason
      from presage_view.share_events where cause = 'redemption' and timestamp >= ${from} and timestamp < ${to}
      and (timestamp, seq) > (${after.timestamp}, ${after.seq}) ${ofWallet} order by timestamp, seq limit ${limit})
      union all
      (select c.market_seq, c.seq, c.tx_hash, c.wallet, c.payout, c.winning_outcome, c.submitted_at, c.status, c.reason
      from presage_view.claims c where c.status <> 'confirmed' and c.submitted_at >= ${from} and c.submitted_at < ${to}
      and (c.submitted_at, c.seq) > (${after.timestamp}, ${after.seq}) ${ofWallet} and not exists (
        select 1 from presage_view.share_events w where w.wallet = c.wallet and w.market_seq = c.market_seq
        and w.tx_hash = c.tx_hash) order by c.submitted_at, c.seq limit ${limit})
    ) select p.*, m.id as market_id, ${ofMarket(sql)} from payouts p
    join presage_view.markets m on m.seq = p.market_seq order by p.timestamp, p.seq limit ${limit}`;
  return rows.map(EXPORTED_CLAIMS.read);
}

const EXPORTED_POSITIONS = new Selection({
  ...POSITIONS.columns,
  marketId: bytes<MarketId>(),
  ...OF_MARKET,
  yesPayout: orNull(integer()),
  noPayout: orNull(integer()),
});
export type ExportedPositionRow = RowOf<typeof EXPORTED_POSITIONS.columns>;

/** Position of a page among positions, which are ordered by wallet and market. */
export interface PositionPlace {
  readonly wallet: Address;
  readonly marketSeq: number;
}

/** Current positions that changed within the range. */
export async function listExportedPositions(
  sql: Sql,
  { fromMs, toMs, wallet, limit, after }: ExportRange & { readonly after: PositionPlace | undefined },
): Promise<ExportedPositionRow[]> {
  const place = after ?? { wallet: '0x', marketSeq: 0 };
  const ofWallet = wallet === undefined ? sql`` : sql`and p.wallet = ${toBytes(wallet)}`;
  const rows = await sql`select p.*, m.id as market_id, ${ofMarket(sql)},
    div(m.yes_payout * 1000000::bigint, m.payout_denominator) as yes_payout, div(m.no_payout * 1000000::bigint, m.payout_denominator) as no_payout
    from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
    where (p.wallet, p.market_seq) > (${toBytes(place.wallet)}, ${place.marketSeq}) ${ofWallet}
    and p.updated_ms >= ${fromMs} and p.updated_ms < ${toMs} order by p.wallet, p.market_seq limit ${limit}`;
  const found = rows.map(EXPORTED_POSITIONS.read);
  return found.map((row) => ({ ...row, yesShares: sharesHeld(row.yesShares), noShares: sharesHeld(row.noShares) }));
}
