// Read model of markets: their facts, their closing and what their shares pay.
import type {
  MarketClosed,
  MarketCloseReason,
  MarketFacts,
  MarketId,
  MarketListed,
  ResolutionChanged,
} from '@presage/protocol';
import type { Sql, TransactionSql } from '../../store/column-types.ts';
import { BulkStatement, bytes, exact, insertInto, integer, text } from '../bulk-statement.ts';
import { hexOf, type Wide } from '../column-values.ts';
import { ViewFault } from '../view-fault.ts';
import { IGNORED, OF_OTHER_PARTITIONS, type RecordTable, ViewModel } from '../view-model.ts';

export interface ListedMarket {
  readonly seq: number;
  readonly facts: MarketFacts;
  readonly listedMs: number;
}

interface ClosedMarket {
  readonly marketSeq: number;
  readonly reason: MarketCloseReason;
  readonly closedMs: number;
}

interface ResolvedMarket {
  readonly marketSeq: number;
  /** What a share of YES and of NO pays, in millionths; undefined while that is open. */
  readonly payouts: readonly [yes: number, no: number] | undefined;
  readonly changedMs: number;
}

export const INSERT_MARKETS = insertInto<ListedMarket>('markets', {
  seq: integer((row) => row.seq),
  id: bytes((row) => row.facts.marketId),
  chain_id: integer((row) => row.facts.chainId),
  kind: text((row) => row.facts.kind),
  contract_address: bytes((row) => row.facts.contractAddress),
  question: text((row) => row.facts.question),
  description: text((row) => row.facts.description),
  category: text((row) => row.facts.category),
  maker: bytes((row) => row.facts.maker),
  expiration: integer((row) => row.facts.expiration),
  created_at: integer((row) => row.facts.createdAt),
  settlement_address: bytes((row) => row.facts.settlementAddress),
  conditional_tokens: bytes((row) => row.facts.conditionalTokens),
  stablecoin: bytes((row) => row.facts.stablecoin),
  yes_token_id: exact((row) => row.facts.yesTokenId),
  no_token_id: exact((row) => row.facts.noTokenId),
  block_number: integer((row) => row.facts.blockNumber),
  transaction_hash: bytes((row) => row.facts.transactionHash),
  listed_ms: integer((row) => row.listedMs),
});

const CLOSE = new BulkStatement<ClosedMarket>(
  {
    seq: integer((row) => row.marketSeq),
    closed_reason: text((row) => row.reason),
    closed_ms: integer((row) => row.closedMs),
  },
  (source) => `update presage_view.markets m set closed_reason = given.closed_reason, closed_ms = given.closed_ms
    from ${source} where m.seq = given.seq`,
);

/** Nulls when a resolution left the chain with its block. */
const RESOLVE = new BulkStatement<ResolvedMarket>(
  {
    seq: integer((row) => row.marketSeq),
    yes_payout: integer((row) => row.payouts?.[0]),
    no_payout: integer((row) => row.payouts?.[1]),
    decided_ms: integer((row) => row.payouts && row.changedMs),
  },
  (source) => `update presage_view.markets m set yes_payout = given.yes_payout, no_payout = given.no_payout,
    decided_ms = case when given.decided_ms is null then null else coalesce(m.decided_ms, given.decided_ms) end from ${source} where m.seq = given.seq`,
);

interface MarketPlace {
  readonly seq: number;
  readonly chainId: number;
}

/** Sequences of all markets by id, kept over transactions: the same journal always gives the same ones. */
export type MarketSeqs = Map<MarketId, MarketPlace>;

/** Of one partition: what is said of a chain there is said of its own markets. */
export async function loadMarketSeqs(
  sql: Sql,
  { index, count }: { index: number; count: number },
): Promise<MarketSeqs> {
  const rows = await sql<
    { id: Buffer; seq: Wide; chain_id: Wide }[]
  >`select id, seq, chain_id from presage_view.markets where mod(seq, ${count}::bigint) = ${index}`;
  return new Map(rows.map(({ id, seq, chain_id }) => [hexOf(id), { seq: Number(seq), chainId: Number(chain_id) }]));
}

export class MarketModel extends ViewModel {
  readonly #seqs: MarketSeqs;
  readonly #listed: ListedMarket[] = [];
  readonly #closed: ClosedMarket[] = [];
  /** The newest record of each holds. */
  readonly #resolved = new Map<number, ResolvedMarket>();

  protected override readonly records: RecordTable = {
    // Listed before anything is loaded: later records of the same transaction ask for its sequence.
    'market-listed': { keys: (record, seq) => this.#list(record, seq) },
    'market-closed': { apply: (record) => this.#close(record) },
    'resolution-changed': { apply: (record) => this.#resolve(record) },
    'order-accepted': IGNORED,
    'order-cancelled': IGNORED,
    'order-restored': IGNORED,
    'permit-changed': IGNORED,
    'trade-matched': IGNORED,
    'trade-moved': IGNORED,
    'trade-failed': IGNORED,
    'position-synced': IGNORED,
    'shares-moved': IGNORED,
    'payout-redeemed': IGNORED,
    'chain-rewound': IGNORED,
    'claim-changed': IGNORED,
    ...OF_OTHER_PARTITIONS,
  };

  constructor(seqs: MarketSeqs) {
    super();
    this.#seqs = seqs;
  }

  seqOf(marketId: MarketId): number {
    return this.#placeOf(marketId).seq;
  }

  chainOf(marketId: MarketId): number {
    return this.#placeOf(marketId).chainId;
  }

  /** Sequences of the markets of a chain. */
  seqsOf(chainId: number): ReadonlySet<number> {
    const ofChain = [...this.#seqs.values()].filter((place) => place.chainId === chainId);
    return new Set(ofChain.map(({ seq }) => seq));
  }

  override async write(sql: TransactionSql): Promise<void> {
    await INSERT_MARKETS.run(sql, this.#listed);
    await Promise.all([CLOSE.run(sql, this.#closed), RESOLVE.run(sql, [...this.#resolved.values()])]);
  }

  #placeOf(marketId: MarketId): MarketPlace {
    const place = this.#seqs.get(marketId);
    if (place === undefined) throw new ViewFault(`market ${marketId} was never listed`);
    return place;
  }

  #list({ market, timeMs }: MarketListed, seq: number): void {
    this.#seqs.set(market.marketId, { seq, chainId: market.chainId });
    this.#listed.push({ seq, facts: market, listedMs: timeMs });
  }

  #close({ marketId, reason, timeMs }: MarketClosed): void {
    this.#closed.push({ marketSeq: this.seqOf(marketId), reason, closedMs: timeMs });
  }

  #resolve({ marketId, timeMs, resolution: { payouts } }: ResolutionChanged): void {
    const marketSeq = this.seqOf(marketId);
    this.#resolved.set(marketSeq, { marketSeq, payouts, changedMs: timeMs });
  }
}
