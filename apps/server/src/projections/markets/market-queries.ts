// Reads of single markets by id or contract.
import type { Address, MarketFacts, MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { pick, type RowOf, toBytes } from '../columns.ts';
import { FACTS, MARKETS } from './market-rows.ts';

const MARKET_FACTS = new Selection(FACTS);
/** Reason and time of closing are null while a market is open. */
const MARKET_TIMES = new Selection(pick(MARKETS.columns, 'listedMs', 'closedReason', 'closedMs'));

export type MarketRow = RowOf<typeof MARKET_TIMES.columns> & { readonly facts: MarketFacts };

/** Finds a market by id (32 bytes) or contract address (20 bytes); the newest one if several chains use the address. */
export async function findMarket(sql: Sql, idOrAddress: MarketId | Address): Promise<MarketRow | undefined> {
  const key = toBytes(idOrAddress);
  const [row] = await sql`select * from presage_view.markets where id = ${key} or contract_address = ${key}
    order by listed_ms desc, seq desc limit 1`;
  return row && { facts: MARKET_FACTS.read(row), ...MARKET_TIMES.read(row) };
}
