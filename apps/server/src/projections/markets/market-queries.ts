// Reads of markets: one by its id or by its contract.
import type { Address, MarketCloseReason, MarketFacts, MarketId } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, maybeNumber, toBytes } from '../column-values.ts';

export interface MarketRow {
  readonly facts: MarketFacts;
  readonly listedMs: number;
  /** Null while it is open. */
  readonly closedReason: MarketCloseReason | null;
  readonly closedMs: number | null;
}

/** By id (32 bytes) or contract address (20 bytes); of several chains' contracts at one address, the newest listed. */
export async function findMarket(sql: Sql, idOrAddress: MarketId | Address): Promise<MarketRow | undefined> {
  const key = toBytes(idOrAddress);
  const [row] = await sql`select * from presage_view.markets where id = ${key} or contract_address = ${key}
    order by listed_ms desc, seq desc limit 1`;
  return row && toMarketRow(row);
}

function toMarketRow(row: Row): MarketRow {
  const closing = { closedReason: row.closed_reason, closedMs: maybeNumber(row.closed_ms) };
  return { facts: toMarketFacts(row), listedMs: Number(row.listed_ms), ...closing };
}

function toMarketFacts(row: Row): MarketFacts {
  return {
    marketId: hexOf(row.id),
    chainId: Number(row.chain_id),
    kind: row.kind,
    contractAddress: hexOf(row.contract_address),
    question: row.question,
    description: row.description,
    category: row.category,
    maker: hexOf(row.maker),
    expiration: Number(row.expiration),
    createdAt: Number(row.created_at),
    settlementAddress: hexOf(row.settlement_address),
    conditionalTokens: hexOf(row.conditional_tokens),
    stablecoin: hexOf(row.stablecoin),
    yesTokenId: String(row.yes_token_id),
    noTokenId: String(row.no_token_id),
    blockNumber: Number(row.block_number),
    transactionHash: hexOf(row.transaction_hash),
  };
}
