// Read model of markets: their facts, their closing and what their shares pay.
import type { MarketClosed, MarketId, MarketListed, ResolutionChanged } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { pick, type RowOf } from '../columns.ts';
import { IGNORED, type RecordTable, ViewFault, ViewModel } from '../view-model.ts';
import { CLOSE_MARKETS, INSERT_MARKETS, type ListedMarket, MARKETS, RESOLVE_MARKETS } from './market-rows.ts';

type MarketChange<Name extends keyof typeof MARKETS.columns> = RowOf<Pick<typeof MARKETS.columns, 'seq' | Name>>;

const PLACES = new Selection(pick(MARKETS.columns, 'marketId', 'seq', 'chainId'));
type MarketPlace = Omit<RowOf<typeof PLACES.columns>, 'marketId'>;

/** Sequences of all markets by id, kept over transactions: the same journal always gives the same ones. */
export type MarketSeqs = Map<MarketId, MarketPlace>;

/** Markets of one partition: what its records say of a chain concerns its own markets only. */
export async function loadMarketSeqs(
  sql: Sql,
  { index, count }: { index: number; count: number },
): Promise<MarketSeqs> {
  const rows =
    await sql`select id, seq, chain_id from presage_view.markets where mod(seq, ${count}::bigint) = ${index}`;
  return new Map(rows.map(PLACES.read).map(({ marketId, ...place }) => [marketId, place]));
}

export class MarketModel extends ViewModel {
  readonly #seqs: MarketSeqs;
  readonly #listed: ListedMarket[] = [];
  readonly #closed: MarketChange<'closedReason' | 'closedMs'>[] = [];
  /** The newest resolution of each market. */
  readonly #resolved = new Map<number, MarketChange<'yesPayout' | 'noPayout' | 'decidedMs'>>();

  protected override readonly records: RecordTable = {
    // Listed before anything is loaded: later records of the same transaction ask for its sequence.
    'market-listed': { keys: (record, seq) => this.#list(record, seq) },
    'market-closed': { apply: (record) => this.#close(record) },
    'resolution-changed': { apply: (record) => this.#resolve(record) },
    ...IGNORED.orders,
    ...IGNORED.trades,
    ...IGNORED.shares,
    ...IGNORED.claims,
    ...IGNORED.others,
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

  override async write(sql: BulkTransaction): Promise<void> {
    await INSERT_MARKETS.run(sql, this.#listed);
    await Promise.all([CLOSE_MARKETS.run(sql, this.#closed), RESOLVE_MARKETS.run(sql, [...this.#resolved.values()])]);
  }

  #placeOf(marketId: MarketId): MarketPlace {
    const place = this.#seqs.get(marketId);
    if (place === undefined) throw new ViewFault(`market ${marketId} was never listed`);
    return place;
  }

  #list({ market, timeMs }: MarketListed, seq: number): void {
    this.#seqs.set(market.marketId, { seq, chainId: market.chainId });
    this.#listed.push({ seq, ...market, listedMs: timeMs });
  }

  #close({ marketId, reason, timeMs }: MarketClosed): void {
    this.#closed.push({ seq: this.seqOf(marketId), closedReason: reason, closedMs: timeMs });
  }

  #resolve({ marketId, timeMs, resolution: { payouts } }: ResolutionChanged): void {
    const seq = this.seqOf(marketId);
    const [yesPayout = null, noPayout = null] = payouts ?? [];
    this.#resolved.set(seq, { seq, yesPayout, noPayout, decidedMs: payouts === undefined ? null : timeMs });
  }
}
