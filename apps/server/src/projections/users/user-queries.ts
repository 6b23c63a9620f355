// Reads about one wallet over all its markets: its trades, and how it stands.
import { type Address, PRICE_SCALE, YES } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes } from '../column-values.ts';
import { selectTrades, type TradeRow, toTradeRow } from '../trades/trade-queries.ts';

export interface UserTradesQuery {
  readonly wallet: Address;
  readonly chainId: number;
  readonly limit: number;
}

export interface UserTradeRow {
  readonly trade: TradeRow;
  readonly question: string;
  readonly contractAddress: Address;
}

/**
 * Newest first, without those that failed; a trade with oneself stands there once. Asks each market that the wallet has a
 * position in for its newest ones: the indexes are by wallet and market, and a busy wallet has far more trades than markets.
 */
export async function listUserTrades(sql: Sql, { wallet, chainId, limit }: UserTradesQuery): Promise<UserTradeRow[]> {
  const key = toBytes(wallet);
  const newestAs = (party: 'buyer' | 'seller') => sql`select t.seq from mine cross join lateral (
      select seq from presage_view.trades where ${sql(party)} = ${key} and market_seq = mine.market_seq
      and status <> 'failed' order by seq desc limit ${limit}
    ) t`;
  const rows = await sql`with mine as (
      select p.market_seq from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
      where p.wallet = ${key} and m.chain_id = ${chainId}
    ), newest as (${newestAs('buyer')} union ${newestAs('seller')} order by seq desc limit ${limit})
    select t.*, m.question, m.contract_address from newest join (${selectTrades(sql)}) t on t.seq = newest.seq
    join presage_view.markets m on m.seq = t.market_seq order by t.seq desc`;
  return rows.map((row) => ({
    trade: toTradeRow(row),
    question: row.question,
    contractAddress: hexOf(row.contract_address),
  }));
}

export interface UserStandingRow {
  /** Cost of the shares held. */
  readonly invested: bigint;
  /** Cost of the shares that were sold, merged or redeemed: what they brought, less the profit on them. */
  readonly soldCost: bigint;
  readonly realizedPnl: bigint;
  /** Of the shares held: what they pay in a decided market, else what its last trade says of YES and NO; rounded down by market. */
  readonly value: bigint;
}

/** Over all chains; all 0 for a wallet that never traded. Shares in a market without a trade count for nothing. */
export async function findUserStanding(sql: Sql, wallet: Address): Promise<UserStandingRow> {
  const [row] = await sql`select coalesce(sum(p.yes_cost + p.no_cost), 0) as invested,
      coalesce(sum(p.yes_revenue + p.no_revenue - p.realized_pnl), 0) as sold_cost,
      coalesce(sum(p.realized_pnl), 0) as realized_pnl,
      coalesce(sum(div(p.yes_shares * coalesce(m.yes_payout, yes.price)
        + p.no_shares * coalesce(m.no_payout, ${PRICE_SCALE}::numeric - yes.price), ${PRICE_SCALE}::numeric)), 0) as value
    from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
    left join presage_view.market_figures f on f.market_seq = p.market_seq
    cross join lateral (
      select case when f.last_outcome = ${YES} then f.last_price else ${PRICE_SCALE}::integer - f.last_price end as price
    ) yes where p.wallet = ${toBytes(wallet)}`;
  return {
    invested: BigInt(row?.invested ?? 0),
    soldCost: BigInt(row?.sold_cost ?? 0),
    realizedPnl: BigInt(row?.realized_pnl ?? 0),
    value: BigInt(row?.value ?? 0),
  };
}
