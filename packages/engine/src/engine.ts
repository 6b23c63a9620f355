// The engine of one partition of markets: commands in, events out, and the reads of its state.
import {
  type Address,
  addHash,
  type EngineCommand,
  type EngineEvent,
  type EngineOutput,
  EVENTS_PER_STEP,
  formatHash,
  type MarketFacts,
  type MarketId,
  NO,
  type OrderAnswer,
  type OrderHash,
  type Outcome,
  type PlaceOrder,
  type Side,
  type SignedOrder,
  sha256OfLines,
  YES,
} from '@presage/protocol/engine-types';
import { applyDraft } from './apply-draft.ts';
import { type Level, NONE } from './book/book.ts';
import { writeDraft } from './bytes/draft-bytes.ts';
import type { EventBytes } from './bytes/event-bytes.ts';
import { evolveBytes } from './bytes/evolve-bytes.ts';
import { copyState, readCheckpoint, releaseState, writeCheckpoint } from './checkpoint.ts';
import { decide, decidePacked } from './decide.ts';
import { findFirstAnswer } from './decide-order.ts';
import { toOutputs } from './draft-outputs.ts';
import { EngineState } from './engine-state.ts';
import { evolve } from './evolve.ts';
import { type EngineImage, memoryOf, readImage, textsOf } from './image.ts';
import { hasExpired } from './memory.ts';
import { type MarketRecord, type MarketView, toMarketView } from './records.ts';
import type { RetiredFields, RetiredFilter, RetiredTotal } from './retired-markets.ts';
import type { PackedCommands } from './slabs/packed-commands.ts';
import { CONFIRMED } from './slabs/trade-slab.ts';
import { TakenState } from './taken-state.ts';
import { type Trial, tryAll } from './trial.ts';
import { type OrderView, type TradeBrief, type TradeView, toOrderView, toTradeBrief, toTradeView } from './views.ts';

export interface EngineOptions {
  /** Most events of one step; the protocol's number by default, since all engines must cut steps alike. */
  readonly eventsPerStep?: number;
  /** 32 bits that only affect where orders are in memory: a service keeps them secret, so that nobody can craft orders that collide. */
  readonly placesSeed?: number;
  /** Number of orders to reserve memory for. Unused memory costs only addresses. */
  readonly ordersAhead?: number;
}

/** Filters are applied before views are made, which cost far more than a check. */
export interface TraderFilter {
  readonly trader?: Address;
  readonly marketId?: MarketId;
  readonly chainId?: number;
}

export interface OpenOrdersFilter extends TraderFilter {
  readonly nonce?: bigint;
  readonly hasFills?: true;
  /** Most orders returned, newest first. */
  readonly limit?: number | undefined;
  /** Only orders with a permit, which are few. */
  readonly hasPermit?: true;
}

/** A retired market: closed and decided, without remembered orders and trades. */
export interface RetiredMarket extends RetiredFields {
  readonly marketId: MarketId;
}

export interface EngineSize {
  readonly markets: number;
  readonly openOrders: number;
  readonly rememberedOrders: number;
  readonly rememberedTrades: number;
  /** Wallets per market: those with remembered orders, or with used nonces of an open market. */
  readonly accounts: number;
}

/** A state to be written, in parts that end anywhere: `undefined` is a pause. */
export interface TakenCheckpoint {
  /** Canonical lines. */
  lines(): Generator<string | undefined>;
  /** The part of an image beside its memory. */
  texts(): Generator<string | undefined>;
  /** Views of the engine's memory: must not be changed, nor read after `giveBack`. */
  memory(): Uint8Array[];
  /** Must be called once everything is written: memory is held until then. */
  giveBack(): void;
}

export class Engine {
  readonly #state: EngineState;

  constructor(options: EngineOptions = {}) {
    const { eventsPerStep = EVENTS_PER_STEP, placesSeed = 0, ordersAhead = 0 } = options;
    this.#state = new EngineState({ eventsPerStep, placesSeed, ordersAhead });
  }

  /** Restores an engine from the lines of a checkpoint; the caller has compared their hash with the recorded one. */
  static restore(lines: Iterable<string>, options: EngineOptions = {}): Engine {
    const engine = new Engine(options);
    readCheckpoint(engine.#state, lines);
    return engine;
  }

  /** Restores from memory, in a fraction of the time. Throws unless it was written by this version of the program. */
  static restoreImage(image: EngineImage, options: EngineOptions = {}): Engine {
    const engine = new Engine(options);
    readImage(engine.#state, image);
    return engine;
  }

  /**
   * Another engine in the same state. Immutable parts are shared: facts, resolutions and the bytes of accepted orders,
   * including those that both accept later.
   */
  copy({ eventsPerStep = this.#state.settings.eventsPerStep }: Pick<EngineOptions, 'eventsPerStep'> = {}): Engine {
    // Tables are copied unchanged, so their seed must stay.
    const engine = new Engine({ eventsPerStep, placesSeed: this.#state.settings.placesSeed });
    copyState(this.#state, engine.#state);
    return engine;
  }

  /** Releases parts shared with copies; the engine must not be used any more. */
  discard(): void {
    releaseState(this.#state);
  }

  /** Decides, then applies the decision; the events get sequences from `firstSeq` on. `events` receives the bytes of those that are written as bytes. */
  apply(command: EngineCommand, firstSeq = this.#state.seq + 1, events?: EventBytes): EngineOutput[] {
    const draft = decide(this.#state, command);
    const outputs = toOutputs(this.#state, draft);
    if (events !== undefined) writeDraft(this.#state, draft, events);
    applyDraft(this.#state, draft, firstSeq);
    return outputs;
  }

  /**
   * Like `apply` for a command given as bytes, with no object between it and the bytes of its events, which replace the
   * content of `events`; without `events` they are not written. Returns the answer in place of events, if any: a
   * refusal, or the answer to a repeated order.
   */
  applyPacked(
    commands: PackedCommands,
    at: number,
    events?: EventBytes,
    firstSeq = this.#state.seq + 1,
  ): EngineOutput | undefined {
    const draft = decidePacked(this.#state, commands, at);
    if (events !== undefined) writeDraft(this.#state, draft, events);
    applyDraft(this.#state, draft, firstSeq);
    return draft.answer;
  }

  /** Time of the newest event; no command may have an earlier time. */
  get timeMs(): number {
    return this.#state.timeMs;
  }

  /** The effect of the command now, with a time that the writer would give it: never before the state, whatever the clock says. */
  preview(command: EngineCommand): EngineOutput[] {
    return this.decide({ ...command, timeMs: Math.max(command.timeMs, this.#state.timeMs) });
  }

  /** The effect of the command now; changes nothing. */
  decide(command: EngineCommand): EngineOutput[] {
    return toOutputs(this.#state, decide(this.#state, command));
  }

  /** Whether all could be placed now, one after another; changes nothing. */
  tryAll(commands: readonly PlaceOrder[]): Trial {
    return tryAll(this.#state, commands);
  }

  /** Whether a tick at this time could close or cancel anything. */
  isTickDue(timeMs: number): boolean {
    const { closing, marketLapses } = this.#state;
    return closing.size > 0 || marketLapses.soonestMs <= timeMs || hasExpired(this.#state, timeMs);
  }

  /** Whether a step has the maximum length: repeating the command may find more to do. */
  isFull(step: readonly EngineOutput[]): boolean {
    return step.length >= this.#state.settings.eventsPerStep;
  }

  /** Applies an event decided earlier or elsewhere: recovery and followers. */
  evolve(event: EngineEvent, seq?: number): void {
    evolve(this.#state, event, seq);
  }

  /**
   * Like `evolve` from the bytes of a journal record, which may be part of a larger buffer. Returns false unless it is
   * one of the frequent events, nearly all of a history: then decode it.
   */
  evolveBytes(bytes: Uint8Array, seq = this.#state.seq + 1, start = 0, end = bytes.length): boolean {
    return evolveBytes(this.#state, bytes, seq, start, end);
  }

  /** Sequence of the last applied event. */
  get lastSeq(): number {
    return this.#state.seq;
  }

  /** Canonical lines, one of JSON each, for a file or a hash. */
  *checkpointLines(): Generator<string> {
    const taken = this.takeCheckpoint();
    try {
      for (const line of taken.lines()) if (line !== undefined) yield line;
    } finally {
      taken.giveBack();
    }
  }

  /** The current state, readable even after it changes. */
  takeCheckpoint(): TakenCheckpoint {
    const taken = new TakenState(this.#state);
    return {
      lines: () => writeCheckpoint(taken),
      texts: () => textsOf(taken),
      memory: () => memoryOf(taken),
      giveBack: () => taken.giveBack(),
    };
  }

  /** SHA-256 of the checkpoint lines, each followed by a line feed. */
  stateHash(): `0x${string}` {
    return sha256OfLines(this.checkpointLines());
  }

  market(marketId: MarketId): MarketView | undefined {
    return this.#state.markets.view(marketId);
  }

  /** Facts of a listed market, at the cost of a lookup. */
  facts(marketId: MarketId): MarketFacts | undefined {
    const { markets } = this.#state;
    return markets.active(marketId)?.facts ?? markets.view(marketId)?.facts;
  }

  /** Number of markets ever listed; increases with each new one. */
  get marketCount(): number {
    return this.#state.markets.size;
  }

  get activeMarketCount(): number {
    return this.#state.markets.activeCount;
  }

  get rememberedOrders(): number {
    return this.#state.rememberedCount;
  }

  /** In listing order or, after a restore, in the order of their ids. Unpacks every retired market: use a narrower read if possible. */
  markets(): MarketView[] {
    const { markets } = this.#state;
    return Array.from({ length: markets.size }, (_, number) => markets.viewAt(number));
  }

  /** Markets that may still change: open, undecided, or with orders or trades. */
  activeMarkets(): MarketView[] {
    return Array.from(this.#state.markets.records(), toMarketView);
  }

  /** Retired markets, as far as they are known without unpacking. */
  *retiredMarkets(filter: RetiredFilter = {}): Generator<RetiredMarket> {
    const { markets } = this.#state;
    for (const [number, entry] of markets.takeEntries().entries()) {
      const isWanted = entry !== NONE && markets.retired.isLike(entry, filter);
      if (isWanted) yield { marketId: markets.ids.id(number), ...markets.retired.fields(entry) };
    }
  }

  /** A retired market's fields; undefined for any other market. */
  retired(marketId: MarketId): RetiredFields | undefined {
    const { markets } = this.#state;
    const entry = markets.entryOf(marketId);
    return entry === NONE ? undefined : markets.retired.fields(entry);
  }

  /** Totals of retired markets, for each chain. */
  retiredTotals(): RetiredTotal[] {
    const { markets } = this.#state;
    return markets.retired.totals(markets.takeEntries());
  }

  /** Markets whose contract has this address, or which have a token or event with this id. */
  marketsNamed(name: string): MarketView[] {
    return this.#state.markets.named(name);
  }

  /** Any remembered order, open or final. */
  order(hash: OrderHash): OrderView | undefined {
    const order = this.#state.findOrder(hash);
    return order === NONE ? undefined : toOrderView(this.#state, order);
  }

  /** The first answer to this order, while it is remembered. */
  firstAnswer(signed: SignedOrder): OrderAnswer | undefined {
    return findFirstAnswer(this.#state, signed);
  }

  /** Open orders, newest first. */
  openOrders(filter: OpenOrdersFilter = {}): OrderView[] {
    const state = this.#state;
    const open: number[] = [];
    for (const [market, account] of this.#accountsOf(filter)) {
      for (const order of state.openOrdersOf(market, account)) if (this.#isAsked(order, filter)) open.push(order);
    }
    return state
      .sortBySequence(open)
      .reverse()
      .slice(0, filter.limit)
      .map((order) => toOrderView(state, order));
  }

  /** Levels, best first; exact past 2^53. */
  levels(marketId: MarketId, outcome: Outcome, side: Side, limit?: number): Level[] {
    return this.#state.markets.active(marketId)?.books[outcome]?.levels(side, limit) ?? [];
  }

  levelSize(marketId: MarketId, outcome: Outcome, side: Side, price: number): number | bigint {
    return this.#state.markets.active(marketId)?.books[outcome]?.levelSize(side, price) ?? 0;
  }

  /** Best price; 0 if the side is empty. */
  bestPrice(marketId: MarketId, outcome: Outcome, side: Side): number {
    const best = this.#state.markets.active(marketId)?.books[outcome]?.best(side) ?? NONE;
    return best === NONE ? 0 : best;
  }

  /** 16 hex digits (docs/protocol.md, "Book hash"); without an outcome the sum over both books. */
  bookHash(marketId: MarketId, outcome?: Outcome): string {
    const books = this.#state.markets.active(marketId)?.books;
    let sum = 0n;
    const asked: readonly Outcome[] = outcome === undefined ? [YES, NO] : [outcome];
    for (const each of asked) {
      sum = addHash(sum, books?.[each]?.hash() ?? 0n);
    }
    return formatHash(sum);
  }

  /** Any remembered trade: unsettled ones, and recently confirmed ones. */
  trade(marketId: MarketId, tradeId: string): TradeView | undefined {
    const market = this.#state.markets.active(marketId);
    const trade = market === undefined ? NONE : this.#state.findTrade(market, tradeId);
    return trade === NONE ? undefined : toTradeView(this.#state, trade);
  }

  /** Unsettled trades, oldest first in each market. */
  unsettledTrades(filter: TraderFilter = {}): TradeView[] {
    return this.#unsettled(filter).map((trade) => toTradeView(this.#state, trade));
  }

  /** Short form for callers that only count: an unreachable chain leaves many. */
  unsettledBriefs(filter: TraderFilter = {}): TradeBrief[] {
    return this.#unsettled(filter).map((trade) => toTradeBrief(this.#state, trade));
  }

  /** Sizes for gauges and for tests of memory. */
  size(): EngineSize {
    let [rememberedTrades, accounts] = [0, 0];
    for (const market of this.#state.liveMarkets) {
      rememberedTrades += market.rememberedTrades;
      accounts += market.accountCount;
    }
    return {
      markets: this.#state.markets.size,
      openOrders: this.#state.restingCount,
      rememberedOrders: this.#state.rememberedCount,
      rememberedTrades,
      accounts,
    };
  }

  /** Cheap for a trader without unsettled trades, however many others have. */
  #unsettled(filter: TraderFilter): number[] {
    const unsettled: number[] = [];
    const { orders, trades } = this.#state;
    for (const [market, account] of this.#accountsOf(filter)) {
      for (let trade = market.firstTrade; trade !== NONE; trade = trades.next(trade)) {
        if (trades.stage(trade) === CONFIRMED) continue;
        const isAsked =
          account === undefined ||
          orders.account(trades.maker(trade)) === account ||
          orders.account(trades.taker(trade)) === account;
        if (isAsked) unsettled.push(trade);
      }
    }
    return unsettled;
  }

  #isAsked(order: number, { hasPermit, hasFills, nonce }: OpenOrdersFilter): boolean {
    const { orders, signed } = this.#state;
    if (hasPermit && signed.permit(order) === undefined) return false;
    if (hasFills && orders.filled(order) === 0) return false;
    return nonce === undefined || signed.nonce(order) === nonce;
  }

  /**
   * Markets that may have orders or trades of the trader, with its account there; without an account if the filter
   * names no trader.
   */
  *#accountsOf({ marketId, chainId, trader }: TraderFilter): Generator<[MarketRecord, number | undefined]> {
    const state = this.#state;
    const named = marketId === undefined ? state.liveMarkets : [state.markets.active(marketId)];
    for (const market of named) {
      if (market === undefined || (chainId !== undefined && market.facts.chainId !== chainId)) continue;
      const account = trader === undefined ? undefined : state.findAccount(market, trader);
      if (account !== NONE) yield [market, account];
    }
  }
}
