// Trades as queries read them, with their market and both orders.
import { type Address, type MarketId, type OrderHash, PRICE_SCALE, type TradeStatus, YES } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, integer, named, type RowOf, text } from '../columns.ts';
import { TRADES } from './trade-rows.ts';

export const TRADE_ROWS = new Selection({
  ...TRADES.columns,
  /** Journal sequence of its match. */
  id: named('seq', integer()),
  status: text<TradeStatus>(),
  marketId: bytes<MarketId>(),
  maker: bytes<Address>(),
  taker: bytes<Address>(),
  makerHash: bytes<OrderHash>(),
  takerHash: bytes<OrderHash>(),
});
export type TradeRow = Readonly<RowOf<typeof TRADE_ROWS.columns>>;

/** Every trade with its market and both orders; a `where` clause follows. */
export function selectTrades(sql: Sql) {
  return sql`select t.*, case when t.stage in ('confirmed', 'failed') then t.stage else 'pending' end as status, m.id as market_id, maker.hash as maker_hash, maker.trader as maker, taker.hash as taker_hash,
    taker.trader as taker from presage_view.trades t
    join presage_view.markets m on m.seq = t.market_seq
    join presage_view.orders maker on maker.seq = t.maker_seq
    join presage_view.orders taker on taker.seq = t.taker_seq`;
}

/** YES price of a trade of table `t`: 1 less the price for a trade of NO. */
export function yesPriceOf(sql: Sql) {
  return sql`case when t.outcome = ${YES} then t.price else ${PRICE_SCALE}::integer - t.price end`;
}
