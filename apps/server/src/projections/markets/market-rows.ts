// The table of markets: its columns and statements.
import type {
  Address,
  Bytes32,
  MarketCloseReason,
  MarketFacts,
  MarketId,
  MarketKind,
  TransactionHash,
} from '@presage/protocol';
import { BulkStatement } from '../bulk-statement.ts';
import { bytes, type Column, decimal, integer, named, orNull, pick, type RowOf, text } from '../columns.ts';
import { Table } from '../table.ts';

export const FACTS = {
  marketId: named('id', bytes<MarketId>()),
  chainId: integer(),
  kind: text<MarketKind>(),
  contractAddress: bytes<Address>(),
  question: text(),
  description: text(),
  category: text(),
  maker: bytes<Address>(),
  expiration: integer(),
  createdAt: integer(),
  settlementAddress: bytes<Address>(),
  conditionalTokens: bytes<Address>(),
  stablecoin: bytes<Address>(),
  yesTokenId: decimal(),
  noTokenId: decimal(),
  blockNumber: integer(),
  transactionHash: bytes<TransactionHash>(),
} satisfies { readonly [Name in keyof MarketFacts]: Column<MarketFacts[Name]> };

/** The event that the market is an outcome of; null without one. */
const EVENT = {
  eventId: orNull(bytes<Bytes32>()),
  eventQuestion: orNull(text()),
  eventIndex: orNull(integer('smallint')),
  eventCount: orNull(integer('smallint')),
  eventName: orNull(text()),
};

/** Known when a market is listed. */
const LISTED = new Table('markets', {
  seq: integer(),
  ...FACTS,
  ...EVENT,
  listedMs: integer(),
});

export type ListedMarket = RowOf<typeof LISTED.columns>;

export const MARKETS = new Table('markets', {
  ...LISTED.columns,
  closedReason: orNull(text<MarketCloseReason>()),
  closedMs: orNull(integer()),
  yesPayout: orNull(integer('integer')),
  noPayout: orNull(integer('integer')),
  payoutDenominator: integer('integer'),
  decidedMs: orNull(integer()),
});

export const INSERT_MARKETS = LISTED.insert();
export const CLOSE_MARKETS = MARKETS.update('seq', ['closedReason', 'closedMs']);

/** A market keeps the time of its first decision. Columns are null after a reorg removed the resolution. */
export const RESOLVE_MARKETS = new BulkStatement(
  pick(MARKETS.columns, 'seq', 'yesPayout', 'noPayout', 'payoutDenominator', 'decidedMs'),
  (source) => `update presage_view.markets m set yes_payout = given.yes_payout, no_payout = given.no_payout,
    payout_denominator = given.payout_denominator,
    decided_ms = case when given.decided_ms is null then null else coalesce(m.decided_ms, given.decided_ms) end
    from ${source} where m.seq = given.seq`,
);
