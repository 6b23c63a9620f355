// Statements over share events: balances read from the chain, and moves of shares without a trade.
import type { ClaimOutcome, TransactionHash } from '@presage/protocol';
import { BulkQuery, BulkStatement } from '../bulk-statement.ts';
import { bytes, exact, integer, orNull, pick, type RowOf, text } from '../columns.ts';
import { Table } from '../table.ts';
import type { ConversionPart } from './conversion-cost.ts';
import type { ShareFact } from './position-replay.ts';
import { PAIR, type Pair } from './position-rows.ts';

export const SHARE_EVENTS = new Table('share_events', {
  ...PAIR,
  seq: integer(),
  cause: text<ShareFact['cause']>(),
  blockNumber: integer(),
  yesShares: exact(),
  noShares: exact(),
  payout: exact(),
  winningOutcome: orNull(integer<ClaimOutcome>('smallint')),
  txHash: orNull(bytes<TransactionHash>()),
  logIndex: orNull(integer('integer')),
  timestamp: orNull(integer()),
  outcomeCount: orNull(integer('smallint')),
  outcomeIndex: orNull(integer('smallint')),
  gave: orNull(exact()),
  got: orNull(exact()),
  freed: orNull(exact()),
  costGiven: orNull(exact()),
  carried: orNull(exact()),
});
type ShareEventRow = RowOf<typeof SHARE_EVENTS.columns>;

/** The log of a move on chain; absent for balances, which come from no transaction. */
interface MovePlace {
  readonly txHash: TransactionHash;
  readonly logIndex: number;
  /** Block time in Unix seconds. */
  readonly timestamp: number;
}

export type ShareEvent = Pair & ShareFact & { readonly place?: MovePlace };

const OF_PAIR = 'join presage_view.share_events e using (wallet, market_seq)';
const SELECT = `select ${SHARE_EVENTS.list('e')} from`;

export const LOAD_EVENTS = new BulkQuery(
  PAIR,
  SHARE_EVENTS,
  (source) => `${SELECT} ${source} ${OF_PAIR} order by e.seq`,
);

/** Events that a change of one of the pair's trades could affect. */
export const LOAD_EVENTS_AFTER = new BulkQuery(
  { ...PAIR, afterSeq: integer() },
  SHARE_EVENTS,
  (source) => `${SELECT} ${source} ${OF_PAIR} where e.seq > given.after_seq`,
);

/** Events of the same block, to recognise logs that are delivered again. */
export const LOAD_EVENTS_OF_BLOCK = SHARE_EVENTS.load('wallet', 'marketSeq', 'blockNumber');

const REWIND = { chainId: integer(), toBlock: integer() };
export type RewindOfChain = RowOf<typeof REWIND>;

export const LOAD_EVENTS_ABOVE = new BulkQuery(
  REWIND,
  SHARE_EVENTS,
  (source) => `${SELECT} ${source} join presage_view.share_events e on e.block_number > given.to_block
    join presage_view.markets m on m.seq = e.market_seq and m.chain_id = given.chain_id`,
);

/** A market's part of a conversion, with the cost of the shares given. */
export type ConvertedShares = RowOf<Pick<typeof SHARE_EVENTS.columns, 'wallet' | 'marketSeq' | 'seq' | 'costGiven'>> & {
  readonly txHash: TransactionHash | null;
  readonly logIndex: number | null;
};

/** All parts of the given conversions. */
export const LOAD_CONVERSIONS = new BulkQuery(
  pick(SHARE_EVENTS.columns, 'wallet', 'txHash', 'logIndex'),
  SHARE_EVENTS,
  (source) => `${SELECT} ${source} join presage_view.share_events e
    on e.wallet = given.wallet and e.tx_hash = given.tx_hash and e.log_index = given.log_index and e.cause = 'conversion'`,
);

const SET_PART = (name: string) => (source: string) =>
  `update presage_view.share_events e set ${name} = given.${name}
  from ${source} where e.wallet = given.wallet and e.market_seq = given.market_seq and e.seq = given.seq`;
const PART = pick(SHARE_EVENTS.columns, 'wallet', 'marketSeq', 'seq');

export const UPDATE_COST_GIVEN = new BulkStatement(
  { ...PART, ...pick(SHARE_EVENTS.columns, 'costGiven') },
  SET_PART('cost_given'),
);
export const UPDATE_CARRIED = new BulkStatement(
  { ...PART, ...pick(SHARE_EVENTS.columns, 'carried') },
  SET_PART('carried'),
);

export const INSERT_EVENTS = SHARE_EVENTS.insert();
export const DELETE_EVENTS = SHARE_EVENTS.delete('wallet', 'marketSeq', 'seq');

const NO_MOVE = { payout: 0n, winningOutcome: null, conversion: null, outcomeCount: null } as const;
const NO_PLACE = { txHash: null, logIndex: null, timestamp: null } as const;
const NO_CONVERSION = { index: null, gave: null, got: null, freed: null, costGiven: null, carried: null } as const;

export function toShareEventRow(event: ShareEvent): ShareEventRow {
  const { wallet, marketSeq, seq, cause, blockNumber, yesShares, noShares } = event;
  const { txHash, logIndex, timestamp } = event.place ?? NO_PLACE;
  const { payout, winningOutcome, conversion, outcomeCount } = event.cause === 'sync' ? NO_MOVE : event;
  const { index: outcomeIndex, ...part } = conversion ?? NO_CONVERSION;
  const said = { wallet, marketSeq, seq, cause, blockNumber, yesShares, noShares, payout, winningOutcome };
  return { ...said, txHash, logIndex, timestamp, outcomeCount: outcomeCount ?? null, outcomeIndex, ...part };
}

export function toShareEvent(row: ShareEventRow): ShareEvent {
  const { wallet, marketSeq, seq, cause, blockNumber, yesShares, noShares, txHash, logIndex, timestamp } = row;
  const said = { wallet, marketSeq, seq, blockNumber, yesShares, noShares };
  if (cause === 'sync' || txHash === null) return { ...said, cause: 'sync' };
  const place = { txHash, logIndex: logIndex ?? 0, timestamp: timestamp ?? 0 };
  const { payout, winningOutcome, outcomeCount } = row;
  return { ...said, cause, payout, winningOutcome, outcomeCount, conversion: toPart(row), place };
}

function toPart({ outcomeIndex: index, gave, got, freed, costGiven, carried }: ShareEventRow): ConversionPart | null {
  if (index === null || gave === null || got === null || freed === null) return null;
  return { index, gave, got, freed, costGiven, carried };
}
