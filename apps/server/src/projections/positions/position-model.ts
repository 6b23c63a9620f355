// Read model of positions: a fill adds to the last state; after a failure or share event the position is recomputed.
import {
  type Address,
  BUY,
  type ChainRewound,
  type Conversion,
  type PayoutRedeemed,
  type PositionSyncRecord,
  SELL,
  type SharesMoved,
} from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import type { FoldTurns } from '../fold-turns.ts';
import type { MarketModel, MarketPlace } from '../markets/market-model.ts';
import { type MinedState, minedStateOf, NOT_MINED, type TradeState, type TradeStates } from '../trades/trade-rows.ts';
import { IGNORED, type RecordTable, ViewModel } from '../view-model.ts';
import type { ConversionPart } from './conversion-cost.ts';
import { rewritePositions } from './conversion-rounds.ts';
import { PairMap } from './pair-map.ts';
import { applyFill, EMPTY_POSITION, feesOfSide } from './position-accounting.ts';
import { isMinedBy } from './position-replay.ts';
import {
  INSERT_POSITIONS,
  LOAD_COUNTED_MINTED,
  LOAD_POSITIONS,
  type Pair,
  type PositionRow,
  type PositionState,
  type StalePosition,
  toPosition,
  toPositionRow,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { ShareEventModel } from './share-event-model.ts';
import type { ShareEvent } from './share-event-rows.ts';

/** A trade with its state on chain before and after a move. */
interface MovedTrade {
  readonly trade: TradeState;
  readonly before: MinedState;
  readonly now: MinedState;
}

export class PositionModel extends ViewModel {
  readonly #markets: MarketModel;
  readonly #trades: TradeStates;
  /** Trades whose state on chain may change in this transaction. */
  readonly #moving = new Set<string>();
  readonly #wanted = new PairMap<Pair>();
  readonly #states = new PairMap<PositionState>();
  /** Positions that exist in the database. */
  readonly #known = new Set<PositionState>();
  readonly #shareEvents = new ShareEventModel();
  readonly #stale = new PairMap<StalePosition>();
  /** Fills and other effects in record order; applied once the positions are loaded. */
  readonly #changes: (TradeState | (() => void))[] = [];

  protected override readonly records: RecordTable = {
    'trade-matched': {
      keys: ({ marketId, maker, taker }) => {
        const marketSeq = this.#markets.seqOf(marketId);
        this.#want(maker, marketSeq);
        this.#want(taker, marketSeq);
      },
      apply: ({ tradeId }) => void this.#changes.push(this.#trades.find(tradeId)),
    },
    'trade-moved': {
      keys: ({ tradeId, stage }) => {
        if (stage !== 'submitted') this.#moving.add(tradeId);
      },
      apply: ({ tradeId }) => {
        const move = toMove(this.#trades.find(tradeId));
        // Most moves lead to a block and do not affect shares.
        if (move.before === NOT_MINED && move.now === NOT_MINED) return;
        this.#changes.push(() => this.#onTradeMoved(move));
      },
    },
    'trade-failed': {
      keys: ({ tradeId }) => void this.#moving.add(tradeId),
      apply: ({ tradeId, timeMs }) => {
        const move = toMove(this.#trades.find(tradeId));
        this.#changes.push(() => this.#recount(move, timeMs));
      },
    },
    'trade-revived': {
      keys: ({ tradeId }) => void this.#moving.add(tradeId),
      apply: ({ tradeId, timeMs }) => {
        const move = toMove(this.#trades.find(tradeId));
        this.#changes.push(() => this.#recount(move, timeMs));
      },
    },
    'position-synced': { apply: (record, seq) => void this.#changes.push(() => this.#sync(record, seq)) },
    'shares-moved': {
      keys: (record) => this.#wantBlock(record),
      apply: (record, seq) => void this.#changes.push(() => this.#move(record, seq)),
    },
    'payout-redeemed': {
      keys: (record) => this.#wantBlock(record),
      apply: (record, seq) => void this.#changes.push(() => this.#move(record, seq)),
    },
    'chain-rewound': {
      keys: (record) => this.#shareEvents.wantAbove(record),
      apply: (record) => void this.#changes.push(() => this.#rewind(record)),
    },
    ...IGNORED.markets,
    ...IGNORED.orders,
    ...IGNORED.claims,
    ...IGNORED.others,
  };

  constructor(markets: MarketModel, trades: TradeStates) {
    super();
    this.#markets = markets;
    this.#trades = trades;
  }

  /**
   * Runs after the trades are loaded, because a trade's block affects the share events after it; and after the previous
   * transaction is written, because it may have recomputed positions in the database.
   */
  async load(sql: BulkTransaction): Promise<void> {
    for (const { tradeId, buyer, seller, marketSeq, seq } of this.#trades.loaded) {
      if (!this.#moving.has(tradeId)) continue;
      for (const wallet of [buyer, seller]) this.#shareEvents.wantAfter({ wallet, marketSeq }, seq);
    }
    const outdated = [...this.#trades.outdated].filter(({ tradeId }) => this.#moving.has(tradeId));
    const [positions, counts] = await Promise.all([
      LOAD_POSITIONS.run(sql, this.#wanted.values()),
      LOAD_COUNTED_MINTED.run(sql, outdated),
      this.#shareEvents.load(sql),
    ]);
    for (const { wallet, marketSeq, updatedMs, ...held } of positions) {
      const state = { wallet, marketSeq, position: toPosition(held), updatedMs };
      this.#known.add(state);
      this.#states.set(state, state);
    }
    const counted = new Map(counts.map((row) => [row.seq, row.countedMinted]));
    for (const trade of outdated) trade.countedMinted = counted.get(trade.seq) ?? trade.countedMinted;
  }

  /** Must be called after everything is loaded. */
  async applyPending(turns: FoldTurns): Promise<void> {
    for (const change of this.#changes) {
      if (typeof change === 'function') change();
      else this.#fill(change);
      if (turns.isDueAfter(1)) await turns.next();
    }
  }

  /** Runs after the trades are written. */
  override async write(sql: BulkTransaction): Promise<void> {
    const added: PositionRow[] = [];
    const changed: PositionRow[] = [];
    for (const state of this.#states.values()) {
      if (!this.#stale.has(state)) (this.#known.has(state) ? changed : added).push(toPositionRow(state));
    }
    await Promise.all([
      INSERT_POSITIONS.run(sql, added),
      UPSERT_POSITIONS.run(sql, changed),
      this.#shareEvents.write(sql),
    ]);
    const stale = this.#stale.values();
    await rewritePositions(sql, stale);
  }

  /** The sale comes first, as on chain: it uses the shares held before the buyer receives any. */
  #fill(trade: TradeState): void {
    const { outcome, price, size } = trade;
    const sale = this.#state(trade.seller, trade.marketSeq, trade.timeMs);
    const sold = applyFill(sale.position, { side: SELL, outcome, price, size, ...feesOfSide(SELL, trade) });
    sale.position = sold.position;
    trade.countedMinted = sold.minted;
    const purchase = this.#state(trade.buyer, trade.marketSeq, trade.timeMs);
    const bought = applyFill(purchase.position, { side: BUY, outcome, price, size, ...feesOfSide(BUY, trade) });
    purchase.position = bought.position;
  }

  /** Called when a trade starts or stops to count. */
  #recount(move: MovedTrade, timeMs: number): void {
    const { trade } = move;
    for (const wallet of [trade.buyer, trade.seller]) {
      this.#voidSyncsOf(move, wallet);
      this.#markStale({ wallet, marketSeq: trade.marketSeq, updatedMs: timeMs, fromSeq: trade.seq });
    }
  }

  /** The trade's block, or the number of minted shares, may have changed. */
  #onTradeMoved(move: MovedTrade): void {
    const { trade, before, now } = move;
    if (now.minedAt !== before.minedAt) {
      for (const wallet of [trade.buyer, trade.seller]) this.#reviewShareEvents(move, wallet);
    }
    const isCounted = now.minted === trade.countedMinted || (now.minted === undefined && before.minted === undefined);
    if (!isCounted) this.#markTradeStale(trade, trade.seller);
  }

  #sync(record: PositionSyncRecord, seq: number): void {
    const { userAddress: wallet, blockNumber, timeMs } = record;
    const marketSeq = this.#markets.seqOf(record.marketId);
    const shares = { yesShares: BigInt(record.yesShares), noShares: BigInt(record.noShares) };
    this.#shareEvents.add({ wallet, marketSeq, seq, blockNumber, cause: 'sync', ...shares });
    this.#markStale({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
  }

  #move(record: SharesMoved | PayoutRedeemed, seq: number): void {
    const { userAddress: wallet, timeMs } = record;
    const marketSeq = this.#markets.seqOf(record.marketId);
    if (this.#shareEvents.has({ wallet, marketSeq }, record)) return;
    this.#shareEvents.add(toShareEvent(seq, record, this.#markets.placeOf(record.marketId)));
    this.#markStale({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
  }

  /** Voids share events of blocks that a reorg removed. */
  #rewind({ chainId, toBlock, timeMs, cause }: ChainRewound): void {
    const markets = this.#markets.seqsOf(chainId);
    for (const shareEvent of this.#shareEvents.above(toBlock, (marketSeq) => markets.has(marketSeq))) {
      if (shareEvent.cause === 'sync' && cause === 'restart') continue;
      this.#shareEvents.void(shareEvent);
      const { wallet, marketSeq, seq } = shareEvent;
      this.#markStale({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
    }
  }

  #want(wallet: Address, marketSeq: number): void {
    if (this.#wanted.find(wallet, marketSeq) === undefined) {
      const pair = { wallet, marketSeq };
      this.#wanted.set(pair, pair);
    }
  }

  #wantBlock({ userAddress: wallet, blockNumber, marketId }: SharesMoved | PayoutRedeemed): void {
    this.#shareEvents.wantBlock({ wallet, marketSeq: this.#markets.seqOf(marketId) }, blockNumber);
  }

  /** A trade that left its block is stale even without share events: a keyframe may count it as confirmed. */
  #reviewShareEvents(move: MovedTrade, wallet: Address): void {
    const { trade, before } = move;
    const shareEvents = this.#shareEvents.of({ wallet, marketSeq: trade.marketSeq });
    const isCovered = shareEvents.some((shareEvent) => shareEvent.seq > trade.seq);
    if (isCovered || before.minedAt !== undefined) this.#markTradeStale(trade, wallet);
    this.#voidSyncsOf(move, wallet);
  }

  /** Balances read at a block that contained the trade are void once that block has left the chain. */
  #voidSyncsOf({ trade, before: { minedAt: minedBefore }, now }: MovedTrade, wallet: Address): void {
    if (minedBefore === undefined || now.minedAt !== undefined) return;
    const then = { seq: trade.seq, minedAt: minedBefore };
    for (const shareEvent of this.#shareEvents.of({ wallet, marketSeq: trade.marketSeq })) {
      if (shareEvent.cause === 'sync' && isMinedBy(then, shareEvent)) this.#shareEvents.void(shareEvent);
    }
  }

  #markTradeStale({ seq, marketSeq }: TradeState, wallet: Address): void {
    this.#markStale({ wallet, marketSeq, updatedMs: 0, fromSeq: seq });
  }

  #markStale(stale: StalePosition): void {
    const previous = this.#stale.get(stale);
    const touchedMs = this.#states.get(stale)?.updatedMs ?? 0;
    const updatedMs = Math.max(stale.updatedMs, previous?.updatedMs ?? 0, touchedMs);
    const fromSeq = Math.min(stale.fromSeq, previous?.fromSeq ?? stale.fromSeq);
    this.#stale.set(stale, { ...stale, updatedMs, fromSeq });
  }

  #state(wallet: Address, marketSeq: number, timeMs: number): PositionState {
    const state = this.#states.find(wallet, marketSeq) ?? this.#begin(wallet, marketSeq, timeMs);
    state.updatedMs = timeMs;
    const stale = this.#stale.find(wallet, marketSeq);
    if (stale !== undefined) this.#stale.set(stale, { ...stale, updatedMs: timeMs });
    return state;
  }

  #begin(wallet: Address, marketSeq: number, timeMs: number): PositionState {
    const state = { wallet, marketSeq, position: EMPTY_POSITION, updatedMs: timeMs };
    this.#states.set(state, state);
    return state;
  }
}

function toMove(trade: TradeState): MovedTrade {
  return { trade, before: trade.before ?? NOT_MINED, now: minedStateOf(trade) };
}

function toShareEvent(seq: number, record: SharesMoved | PayoutRedeemed, market: MarketPlace): ShareEvent {
  const { userAddress: wallet, blockNumber, txHash, logIndex, timestamp } = record;
  const { seq: marketSeq, eventCount: outcomeCount } = market;
  const head = { wallet, marketSeq, seq, blockNumber, place: { txHash, logIndex, timestamp }, outcomeCount };
  const [yes, no] = [BigInt(record.yesShares), BigInt(record.noShares)];
  if (record.type === 'shares-moved') {
    const conversion = toPart(record.conversion, market);
    const moved = { yesShares: yes, noShares: no, payout: 0n, winningOutcome: null };
    return { ...head, cause: record.cause, ...moved, conversion };
  }
  const { winningOutcome } = record;
  const burned = { yesShares: -yes, noShares: -no };
  const payout = BigInt(record.payout);
  return { ...head, cause: 'redemption', ...burned, payout, winningOutcome, conversion: null };
}

function toPart(conversion: Conversion | undefined, { eventIndex: index }: MarketPlace): ConversionPart | null {
  if (conversion === undefined || index === null) return null;
  const [gave, got, freed] = [BigInt(conversion.gave), BigInt(conversion.got), BigInt(conversion.freed)];
  return { gave, got, freed, index, costGiven: null, carried: null };
}
