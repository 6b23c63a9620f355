// Reads of orders: one by hash, and a wallet's orders of the last day.
import { type Address, DAY_MS, type MarketId, type OrderHash, type OrderStatus } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, integer, named, type RowOf, toBytes } from '../columns.ts';
import { ORDERS } from './order-rows.ts';

const ORDER_ROWS = new Selection({
  ...ORDERS.columns,
  orderHash: named('hash', bytes<OrderHash>()),
  marketId: bytes<MarketId>(),
  filledSize: named('filled', integer()),
});

export type OrderRow = Readonly<RowOf<typeof ORDER_ROWS.columns>> & {
  /** Size on the book of an open order; unfilled size of a final one. */
  readonly remainingSize: number;
};

export interface RecentOrdersQuery {
  readonly trader: Address;
  readonly marketId?: MarketId;
  /** Any status if absent. */
  readonly status?: OrderStatus;
  readonly limit: number;
}

export async function findOrder(sql: Sql, hash: OrderHash): Promise<OrderRow | undefined> {
  const [row] = await sql`${selectOrders(sql)} where o.hash = ${toBytes(hash)}`;
  return row && toOrderRow(row);
}

/** Orders accepted in the day before `nowMs`, newest first. */
export async function listRecentOrders(sql: Sql, nowMs: number, query: RecentOrdersQuery): Promise<OrderRow[]> {
  const { trader, marketId, status, limit } = query;
  const rows = await sql`${selectOrders(sql)}
    where o.trader = ${toBytes(trader)} and o.accepted_ms > ${nowMs - DAY_MS}
    ${marketId === undefined ? sql`` : sql`and m.id = ${toBytes(marketId)}`}
    ${status === undefined ? sql`` : sql`and o.status = ${status}`}
    order by o.accepted_ms desc, o.seq desc limit ${limit}`;
  return rows.map(toOrderRow);
}

function selectOrders(sql: Sql) {
  return sql`select o.*, m.id as market_id from presage_view.orders o
    join presage_view.markets m on m.seq = o.market_seq`;
}

function toOrderRow(row: Row): OrderRow {
  const order = ORDER_ROWS.read(row);
  return { ...order, remainingSize: order.size - order.filled };
}
