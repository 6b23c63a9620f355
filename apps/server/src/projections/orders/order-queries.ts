// Reads of orders: one by its hash, and a wallet's of the last day.
import {
  type Address,
  type CancelReason,
  DAY_MS,
  type MarketId,
  makeTerms,
  type OrderHash,
  type OrderStatus,
  type OrderTerms,
  type Outcome,
  type Price,
  type Side,
  type Size,
} from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes, toColumnName } from '../column-values.ts';

export interface OrderRow extends OrderTerms {
  readonly orderHash: OrderHash;
  readonly marketId: MarketId;
  readonly trader: Address;
  readonly side: Side;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly nonce: bigint;
  readonly expiration: bigint;
  /** Sum of its trades that have not failed. */
  readonly filledSize: number;
  /** On the book while open; of a final order, what was never filled. */
  readonly remainingSize: number;
  readonly status: OrderStatus;
  readonly cancelReason: CancelReason | null;
  readonly acceptedMs: number;
  readonly updatedMs: number;
}

export interface RecentOrdersQuery {
  readonly trader: Address;
  readonly marketId?: MarketId;
  readonly limit: number;
}

export async function findOrder(sql: Sql, hash: OrderHash): Promise<OrderRow | undefined> {
  const [row] = await sql`${selectOrders(sql)} where o.hash = ${toBytes(hash)}`;
  return row && toOrderRow(row);
}

/** Of the day before `nowMs`, in any status, newest first. */
export async function listRecentOrders(sql: Sql, nowMs: number, query: RecentOrdersQuery): Promise<OrderRow[]> {
  const { trader, marketId, limit } = query;
  const rows = await sql`${selectOrders(sql)}
    where o.trader = ${toBytes(trader)} and o.accepted_ms > ${nowMs - DAY_MS}
    ${marketId === undefined ? sql`` : sql`and m.id = ${toBytes(marketId)}`}
    order by o.accepted_ms desc, o.seq desc limit ${limit}`;
  return rows.map(toOrderRow);
}

function selectOrders(sql: Sql) {
  return sql`select o.*, m.id as market_id from presage_view.orders o
    join presage_view.markets m on m.seq = o.market_seq`;
}

function toOrderRow(row: Row): OrderRow {
  return {
    orderHash: hexOf(row.hash),
    marketId: hexOf(row.market_id),
    trader: hexOf(row.trader),
    side: row.side,
    outcome: row.outcome,
    price: row.price,
    size: Number(row.size) as Size,
    nonce: BigInt(row.nonce),
    expiration: BigInt(row.expiration),
    ...makeTerms((name) => row[toColumnName(name)]),
    filledSize: Number(row.filled),
    remainingSize: Number(row.size) - Number(row.filled),
    status: row.status,
    cancelReason: row.cancel_reason,
    acceptedMs: Number(row.accepted_ms),
    updatedMs: Number(row.updated_ms),
  };
}
