// Reads a wallet's trades over all markets, and their totals.
import type { Address, MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes } from '../columns.ts';
import { selectTrades, TRADE_ROWS, type TradeRow } from '../trades/trade-select.ts';

export interface UserQuery {
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
 * Newest first, without failed trades; a trade with oneself is listed once. Looks up the newest trades in each market
 * of the wallet: the indexes are by wallet and market, and a busy wallet has far more trades than markets.
 */
export async function listUserTrades(sql: Sql, { wallet, chainId, limit }: UserQuery): Promise<UserTradeRow[]> {
  const key = toBytes(wallet);
  const newestAs = (party: 'buyer' | 'seller') => sql`select t.seq, t.time_ms from mine cross join lateral (
      select seq, time_ms from presage_view.trades where ${sql(party)} = ${key} and market_seq = mine.market_seq
      and stage <> 'failed' order by seq desc limit ${limit}
    ) t`;
  const rows = await sql`with mine as (
      select p.market_seq from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
      where p.wallet = ${key} and m.chain_id = ${chainId}
    ), newest as (${newestAs('buyer')} union ${newestAs('seller')} order by time_ms desc, seq desc limit ${limit})
    select t.*, m.question, m.contract_address from newest join (${selectTrades(sql)}) t on t.seq = newest.seq
    join presage_view.markets m on m.seq = t.market_seq order by t.time_ms desc, t.seq desc`;
  return rows.map((row) => ({
    trade: TRADE_ROWS.read(row),
    question: row.question,
    contractAddress: hexOf(row.contract_address),
  }));
}

export interface TradedRow {
  readonly marketId: MarketId;
  readonly cost: bigint;
}

/** Volumes bought and sold since a time, by market, without failed trades; a trade with oneself counts twice. */
export async function sumTraded(sql: Sql, wallet: Address, sinceMs: number): Promise<TradedRow[]> {
  const key = toBytes(wallet);
  const tradedAs = (party: 'buyer' | 'seller') => sql`select t.cost from presage_view.trades t
    where t.${sql(party)} = ${key} and t.market_seq = p.market_seq and t.time_ms > ${sinceMs} and t.stage <> 'failed'`;
  const rows = await sql`select m.id as market_id, sum(t.cost)::text as cost from presage_view.positions p
    join presage_view.markets m on m.seq = p.market_seq
    cross join lateral (${tradedAs('buyer')} union all ${tradedAs('seller')}) t
    where p.wallet = ${key} group by m.id`;
  return rows.map((row) => ({ marketId: hexOf(row.market_id), cost: BigInt(row.cost) }));
}
