// Read model of markets: facts, closing and payouts.
import {
  type JournalRecord,
  type MarketClosed,
  type MarketEvent,
  type MarketId,
  type MarketListed,
  PRICE_SCALE,
  type ResolutionChanged,
} from '@presage/protocol';
import { BulkStatement, Selection } from '../bulk-statement.ts';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { pick, type RowOf } from '../columns.ts';
import { type FoldedPartition, IGNORED, type RecordTable, ViewFault, ViewModel } from '../view-model.ts';
import { CLOSE_MARKETS, INSERT_MARKETS, type ListedMarket, MARKETS, RESOLVE_MARKETS } from './market-rows.ts';

type MarketChange<Name extends keyof typeof MARKETS.columns> = RowOf<Pick<typeof MARKETS.columns, 'seq' | Name>>;

const PLACES = new Selection(pick(MARKETS.columns, 'marketId', 'seq', 'chainId', 'eventIndex', 'eventCount'));
export type MarketPlace = Omit<RowOf<typeof PLACES.columns>, 'marketId'>;

const FIND_PLACES = new BulkStatement(
  pick(MARKETS.columns, 'marketId'),
  (given) => `select ${PLACES.list('m')} from ${given} join presage_view.markets m on m.id = given.id`,
);
const ALL_PLACES = `select ${PLACES.list('m')} from presage_view.markets m where mod(m.seq, $1::bigint) = $2::bigint`;

/**
 * Sequences of markets by id, kept across transactions. Only markets that records have named since the start, not the
 * thousands that are over.
 */
export type MarketSeqs = Map<MarketId, MarketPlace>;

export class MarketModel extends ViewModel {
  readonly #seqs: MarketSeqs;
  readonly #listed: ListedMarket[] = [];
  readonly #closed: MarketChange<'closedReason' | 'closedMs'>[] = [];
  /** The newest resolution of each market. */
  readonly #resolved = new Map<number, MarketChange<'yesPayout' | 'noPayout' | 'payoutDenominator' | 'decidedMs'>>();

  protected override readonly records: RecordTable = {
    // Listed before anything is loaded: later records of the same transaction need its sequence.
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

  /**
   * Must be called before any record is handled. Only a rewound chain affects markets that its record does not name.
   */
  async load(sql: BulkTransaction, records: Iterable<JournalRecord>, { index, count }: FoldedPartition): Promise<void> {
    const [missing, listed] = [new Set<MarketId>(), new Set<MarketId>()];
    let isRewound = false;
    for (const record of records) {
      if (record.type === 'market-listed') listed.add(record.market.marketId);
      else if (record.type === 'chain-rewound') isRewound = true;
      else if ('marketId' in record && !listed.has(record.marketId) && !this.#seqs.has(record.marketId))
        missing.add(record.marketId);
    }
    const found = isRewound
      ? await sql.query(ALL_PLACES, [String(count), String(index)])
      : await FIND_PLACES.runEach(sql, [...missing]);
    for (const { marketId, ...place } of found.map(PLACES.read)) this.#seqs.set(marketId, place);
  }

  seqOf(marketId: MarketId): number {
    return this.placeOf(marketId).seq;
  }

  chainOf(marketId: MarketId): number {
    return this.placeOf(marketId).chainId;
  }

  /** Sequences of the markets on a chain. */
  seqsOf(chainId: number): ReadonlySet<number> {
    const ofChain = [...this.#seqs.values()].filter((place) => place.chainId === chainId);
    return new Set(ofChain.map(({ seq }) => seq));
  }

  override async write(sql: BulkTransaction): Promise<void> {
    await INSERT_MARKETS.run(sql, this.#listed);
    await Promise.all([CLOSE_MARKETS.run(sql, this.#closed), RESOLVE_MARKETS.run(sql, [...this.#resolved.values()])]);
  }

  placeOf(marketId: MarketId): MarketPlace {
    const place = this.#seqs.get(marketId);
    if (place === undefined) throw new ViewFault(`market ${marketId} was never listed`);
    return place;
  }

  #list({ market, timeMs }: MarketListed, seq: number): void {
    const event = toEventColumns(market.event);
    this.#seqs.set(market.marketId, { seq, chainId: market.chainId, ...event });
    this.#listed.push({ seq, ...market, ...event, listedMs: timeMs });
  }

  #close({ marketId, reason, timeMs }: MarketClosed): void {
    this.#closed.push({ seq: this.seqOf(marketId), closedReason: reason, closedMs: timeMs });
  }

  #resolve({ marketId, timeMs, resolution: { payouts, payoutDenominator = PRICE_SCALE } }: ResolutionChanged): void {
    const seq = this.seqOf(marketId);
    const [yesPayout = null, noPayout = null] = payouts ?? [];
    const decidedMs = payouts === undefined ? null : timeMs;
    this.#resolved.set(seq, { seq, yesPayout, noPayout, payoutDenominator, decidedMs });
  }
}

/** Columns of the event; null for a market without one. */
function toEventColumns(event: MarketEvent | undefined) {
  const { id = null, question = null, index = null, count = null, name = null } = event ?? {};
  return { eventId: id, eventQuestion: question, eventIndex: index, eventCount: count, eventName: name };
}
