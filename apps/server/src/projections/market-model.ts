// Read model of markets: their facts and their closing.
import type { MarketClosed, MarketId, MarketListed } from '@presage/protocol';
import type { Sql, TransactionSql } from '../store/column-types.ts';
import { BulkStatement, bytes, exact, insertInto, integer, text } from './bulk-statement.ts';
import { hexOf, type Wide } from './column-values.ts';
import { ViewFault } from './view-fault.ts';
import type { ClosedMarket, ListedMarket } from './view-rows.ts';

const INSERT = insertInto<ListedMarket>('markets', {
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

/** Sequences of all markets by id, kept over transactions: the same journal always gives the same ones. */
export type MarketSeqs = Map<MarketId, number>;

export async function loadMarketSeqs(sql: Sql): Promise<MarketSeqs> {
  const rows = await sql<{ id: Buffer; seq: Wide }[]>`select id, seq from presage_view.markets`;
  return new Map(rows.map(({ id, seq }) => [hexOf(id), Number(seq)]));
}

export class MarketModel {
  readonly #seqs: MarketSeqs;
  readonly #listed: ListedMarket[] = [];
  readonly #closed: ClosedMarket[] = [];

  constructor(seqs: MarketSeqs) {
    this.#seqs = seqs;
  }

  seqOf(marketId: MarketId): number {
    const seq = this.#seqs.get(marketId);
    if (seq === undefined) throw new ViewFault(`market ${marketId} was never listed`);
    return seq;
  }

  list(seq: number, { market, timeMs }: MarketListed): void {
    this.#seqs.set(market.marketId, seq);
    this.#listed.push({ seq, facts: market, listedMs: timeMs });
  }

  close({ marketId, reason, timeMs }: MarketClosed): void {
    this.#closed.push({ marketSeq: this.seqOf(marketId), reason, closedMs: timeMs });
  }

  async write(sql: TransactionSql): Promise<void> {
    await Promise.all([INSERT.run(sql, this.#listed), CLOSE.run(sql, this.#closed)]);
  }
}
