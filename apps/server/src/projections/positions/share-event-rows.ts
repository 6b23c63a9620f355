// Statements over what the chain said of wallets' shares: balances that were read, and moves without a trade.
import type { ClaimOutcome, TransactionHash } from '@presage/protocol';
import { BulkQuery } from '../bulk-statement.ts';
import { bytes, exact, integer, orNull, type RowOf, text } from '../columns.ts';
import { Table } from '../table.ts';
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
});
type ShareEventRow = RowOf<typeof SHARE_EVENTS.columns>;

/** The log of a move on chain; balances are read by no transaction. */
interface MovePlace {
  readonly txHash: TransactionHash;
  readonly logIndex: number;
  /** Time of the block in Unix seconds. */
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

/** Events of the same block, to recognise one that is delivered again. */
export const LOAD_EVENTS_OF_BLOCK = SHARE_EVENTS.load('wallet', 'marketSeq', 'blockNumber');

const REWIND = { chainId: integer(), toBlock: integer() };
export type RewindOfChain = RowOf<typeof REWIND>;

export const LOAD_EVENTS_ABOVE = new BulkQuery(
  REWIND,
  SHARE_EVENTS,
  (source) => `${SELECT} ${source} join presage_view.share_events e on e.block_number > given.to_block
    join presage_view.markets m on m.seq = e.market_seq and m.chain_id = given.chain_id`,
);

export const INSERT_EVENTS = SHARE_EVENTS.insert();
export const DELETE_EVENTS = SHARE_EVENTS.delete('wallet', 'marketSeq', 'seq');

export function toShareEventRow(event: ShareEvent): ShareEventRow {
  const { wallet, marketSeq, seq, cause, blockNumber, yesShares, noShares } = event;
  const { txHash, logIndex, timestamp } = event.place ?? { txHash: null, logIndex: null, timestamp: null };
  const { payout, winningOutcome } = event.cause === 'sync' ? { payout: 0n, winningOutcome: null } : event;
  const said = { wallet, marketSeq, seq, cause, blockNumber, yesShares, noShares, payout, winningOutcome };
  return { ...said, txHash, logIndex, timestamp };
}

export function toShareEvent(row: ShareEventRow): ShareEvent {
  const { cause, payout, winningOutcome, txHash, logIndex, timestamp, ...said } = row;
  if (cause === 'sync' || txHash === null) return { ...said, cause: 'sync' };
  const place = { txHash, logIndex: logIndex ?? 0, timestamp: timestamp ?? 0 };
  return { ...said, cause, payout, winningOutcome, place };
}
