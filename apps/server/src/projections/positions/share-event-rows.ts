// Statements over what the chain said of wallets' shares: balances that were read, and moves without a trade.
import type { ClaimOutcome, TransactionHash } from '@presage/protocol';
import { BulkStatement, bytes, exact, insertInto, integer, text } from '../bulk-statement.ts';
import { hexOfText, maybeNumber, type Wide } from '../column-values.ts';
import type { Pair } from './position-key.ts';
import type { ShareFact } from './position-replay.ts';

/** Where a move stands on chain; balances are read by no transaction. */
interface MovePlace {
  readonly txHash: TransactionHash;
  readonly logIndex: number;
  /** Unix seconds, of the block. */
  readonly timestamp: number;
}

export type ShareEvent = Pair & ShareFact & { readonly place?: MovePlace };

const PAIR = {
  wallet: bytes<Pair>((pair) => pair.wallet),
  market_seq: integer<Pair>((pair) => pair.marketSeq),
};

const FIELDS = `wallet::text, market_seq, e.seq, e.cause, e.block_number, e.yes_shares, e.no_shares, e.payout,
  e.winning_outcome, e.tx_hash::text, e.log_index, e.timestamp`;

export const LOAD_EVENTS = new BulkStatement<Pair>(
  PAIR,
  (source) =>
    `select ${FIELDS} from ${source} join presage_view.share_events e using (wallet, market_seq) order by e.seq`,
);

/** Those that a change of one of the pair's trades could matter to. */
export const LOAD_EVENTS_AFTER = new BulkStatement<Pair & { readonly afterSeq: number }>(
  { ...PAIR, after_seq: integer((row) => row.afterSeq) },
  (source) => `select ${FIELDS} from ${source} join presage_view.share_events e using (wallet, market_seq)
    where e.seq > given.after_seq`,
);

/** Those of the same block, to know a fact that is delivered again. */
export const LOAD_EVENTS_OF_BLOCK = new BulkStatement<Pair & { readonly blockNumber: number }>(
  { ...PAIR, block_number: integer((row) => row.blockNumber) },
  (source) =>
    `select ${FIELDS} from ${source} join presage_view.share_events e using (wallet, market_seq, block_number)`,
);

export interface RewindOfChain {
  readonly chainId: number;
  readonly toBlock: number;
}

export const LOAD_EVENTS_ABOVE = new BulkStatement<RewindOfChain>(
  { chain_id: integer((row) => row.chainId), to_block: integer((row) => row.toBlock) },
  (source) => `select ${FIELDS} from ${source} join presage_view.share_events e on e.block_number > given.to_block
    join presage_view.markets m on m.seq = e.market_seq and m.chain_id = given.chain_id`,
);

export const INSERT_EVENTS = insertInto<ShareEvent>('share_events', {
  ...PAIR,
  seq: integer((row) => row.seq),
  cause: text((row) => row.cause),
  block_number: integer((row) => row.blockNumber),
  yes_shares: exact((row) => row.yesShares),
  no_shares: exact((row) => row.noShares),
  payout: exact((row) => (row.cause === 'sync' ? 0n : row.payout)),
  winning_outcome: integer((row) => (row.cause === 'sync' ? null : row.winningOutcome)),
  tx_hash: bytes((row) => row.place?.txHash),
  log_index: integer((row) => row.place?.logIndex),
  timestamp: integer((row) => row.place?.timestamp),
});

export const DELETE_EVENTS = new BulkStatement<ShareEvent>(
  { ...PAIR, seq: integer((row) => row.seq) },
  (source) => `delete from presage_view.share_events e using ${source}
    where e.wallet = given.wallet and e.market_seq = given.market_seq and e.seq = given.seq`,
);

export interface LoadedShareEvent {
  readonly wallet: string;
  readonly market_seq: Wide;
  readonly seq: Wide;
  readonly cause: ShareFact['cause'];
  readonly block_number: Wide;
  readonly yes_shares: Wide;
  readonly no_shares: Wide;
  readonly payout: Wide;
  readonly winning_outcome: ClaimOutcome | null;
  readonly tx_hash: string | null;
  readonly log_index: Wide | null;
  readonly timestamp: Wide | null;
}

export function toShareEvent(row: LoadedShareEvent): ShareEvent {
  const said = {
    wallet: hexOfText(row.wallet),
    marketSeq: Number(row.market_seq),
    seq: Number(row.seq),
    blockNumber: Number(row.block_number),
    yesShares: BigInt(row.yes_shares),
    noShares: BigInt(row.no_shares),
  };
  if (row.cause === 'sync' || row.tx_hash === null) return { ...said, cause: 'sync' };
  const { cause, winning_outcome: winningOutcome } = row;
  const place = {
    txHash: hexOfText(row.tx_hash),
    logIndex: maybeNumber(row.log_index) ?? 0,
    timestamp: maybeNumber(row.timestamp) ?? 0,
  };
  return { ...said, cause, payout: BigInt(row.payout), winningOutcome, place };
}
