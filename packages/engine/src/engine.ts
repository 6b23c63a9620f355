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
  /** How many events a step may have; the protocol's number by default, since all engines must cut alike. */
  readonly eventsPerStep?: number;
  /** 32 bits that decide where orders stand in memory and nothing else: a service keeps them secret, so that nobody makes orders crowd one place. */
  readonly placesSeed?: number;
  /** Orders that memory is set aside for at once. What is not used of it costs nothing but addresses. */
  readonly ordersAhead?: number;
}

/** What is asked for is chosen before views of it are made, which cost far more than a look. */
export interface TraderFilter {
  readonly trader?: Address;
  readonly marketId?: MarketId;
  readonly chainId?: number;
}

export interface OpenOrdersFilter extends TraderFilter {
  readonly nonce?: bigint;
  readonly hasFills?: true;
  /** Only the newest. */
  readonly limit?: number | undefined;
  /** Only those that came with a permit, which are few. */
  readonly hasPermit?: true;
}

/** A market that is over: closed and decided, without remembered orders and trades. */
export interface RetiredMarket extends RetiredFields {
  readonly marketId: MarketId;
}

export interface EngineSize {
  readonly markets: number;
  readonly openOrders: number;
  readonly rememberedOrders: number;
  readonly rememberedTrades: number;
  /** Wallets in markets: those with remembered orders, or with used nonces of a market that is open. */
  readonly accounts: number;
}

/** A state to be written down, in parts that end anywhere: `undefined` is a pause. */
export interface TakenCheckpoint {
  /** Canonical. */
  lines(): Generator<string | undefined>;
  /** What an image has beside its memory. */
  texts(): Generator<string | undefined>;
  /** Views of the engine's memory: not to be changed, nor to be read when it was given back. */
  memory(): Uint8Array[];
  /** Call it once when all is written down: memory is held until then. */
  giveBack(): void;
}

export class Engine {
  readonly #state: EngineState;

  constructor(options: EngineOptions = {}) {
    const { eventsPerStep = EVENTS_PER_STEP, placesSeed = 0, ordersAhead = 0 } = options;
    this.#state = new EngineState({ eventsPerStep, placesSeed, ordersAhead });
  }

  /** From the lines of a checkpoint; the caller has compared their hash with the one recorded beside them. */
  static restore(lines: Iterable<string>, options: EngineOptions = {}): Engine {
    const engine = new Engine(options);
    readCheckpoint(engine.#state, lines);
    return engine;
  }

  /** The same from memory, in a fraction of the time. Throws where it was not written by this version of the program. */
  static restoreImage(image: EngineImage, options: EngineOptions = {}): Engine {
    const engine = new Engine(options);
    readImage(engine.#state, image);
    return engine;
  }

  /**
   * Another engine in the same state, which shares with this one what neither ever changes: facts, resolutions and the bytes of
   * accepted orders, those that both accept from now on too.
   */
  copy({ eventsPerStep = this.#state.settings.eventsPerStep }: Pick<EngineOptions, 'eventsPerStep'> = {}): Engine {
    // Tables are copied as they stand, so that their seed stays.
    const engine = new Engine({ eventsPerStep, placesSeed: this.#state.settings.placesSeed });
    copyState(this.#state, engine.#state);
    return engine;
  }

  /** Gives up what it shares with its copies: it must not be used any more. */
  discard(): void {
    releaseState(this.#state);
  }

  /** Decides, then applies what it decided; the events take their places in the journal from `firstSeq` on. `events` gets the bytes of those that are written as bytes. */
  apply(command: EngineCommand, firstSeq = this.#state.seq + 1, events?: EventBytes): EngineOutput[] {
    const draft = decide(this.#state, command);
    const outputs = toOutputs(this.#state, draft);
    if (events !== undefined) writeDraft(this.#state, draft, events);
    applyDraft(this.#state, draft, firstSeq);
    return outputs;
  }

  /**
   * The same of a command that came as bytes, with no object between it and the bytes of its events, which replace what `events` held; without
   * `events` they are written nowhere.
   * Returns what there is to answer instead of events: a refusal, or the answer to an order that came before.
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

  /** Time of the newest event; no command may be dated before it. */
  get timeMs(): number {
    return this.#state.timeMs;
  }

  /** What the command would do if it came now, dated as the writer would date it: never before the state, whatever the clock says. */
  preview(command: EngineCommand): EngineOutput[] {
    return this.decide({ ...command, timeMs: Math.max(command.timeMs, this.#state.timeMs) });
  }

  /** What the command does now; changes nothing. */
  decide(command: EngineCommand): EngineOutput[] {
    return toOutputs(this.#state, decide(this.#state, command));
  }

  /** Whether all could be placed now, one behind another; changes nothing. */
  tryAll(commands: readonly PlaceOrder[]): Trial {
    return tryAll(this.#state, commands);
  }

  /** Whether a tick at this time could close or cancel anything. */
  isTickDue(timeMs: number): boolean {
    const { closing, marketLapses } = this.#state;
    return closing.size > 0 || marketLapses.soonestMs <= timeMs || hasExpired(this.#state, timeMs);
  }

  /** Whether a step is as long as it may be: the same command again may find more to do. */
  isFull(step: readonly EngineOutput[]): boolean {
    return step.length >= this.#state.settings.eventsPerStep;
  }

  /** Applies an event decided earlier or elsewhere: recovery and followers. */
  evolve(event: EngineEvent, seq?: number): void {
    evolve(this.#state, event, seq);
  }

  /** The same from the bytes of a journal record, which may lie among others. Returns false where they are none of the frequent events, which are nearly all: decode it then. */
  evolveBytes(bytes: Uint8Array, seq = this.#state.seq + 1, start = 0, end = bytes.length): boolean {
    return evolveBytes(this.#state, bytes, seq, start, end);
  }

  /** The place in the journal of the last event applied. */
  get lastSeq(): number {
    return this.#state.seq;
  }

  /** Canonical, one line of JSON each, for a file or a hash. */
  *checkpointLines(): Generator<string> {
    const taken = this.takeCheckpoint();
    try {
      for (const line of taken.lines()) if (line !== undefined) yield line;
    } finally {
      taken.giveBack();
    }
  }

  /** The state as it is now, even if it changes before it is read. */
  takeCheckpoint(): TakenCheckpoint {
    const taken = new TakenState(this.#state);
    return {
      lines: () => writeCheckpoint(taken),
      texts: () => textsOf(taken),
      memory: () => memoryOf(taken),
      giveBack: () => taken.giveBack(),
    };
  }

  /** SHA-256 of the checkpoint lines, each ended by a line feed. */
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

  /** Number of markets ever listed; changes with each new one. */
  get marketCount(): number {
    return this.#state.markets.size;
  }

  get activeMarketCount(): number {
    return this.#state.markets.activeCount;
  }

  get rememberedOrders(): number {
    return this.#state.rememberedCount;
  }

  /** In the order they were listed or, after a restore, of their ids. Unpacks every retired market: ask for less where that will do. */
  markets(): MarketView[] {
    const { markets } = this.#state;
    return Array.from({ length: markets.size }, (_, number) => markets.viewAt(number));
  }

  /** Markets that may still change: open, undecided, or with orders or trades. */
  activeMarkets(): MarketView[] {
    return Array.from(this.#state.markets.records(), toMarketView);
  }

  /** The others, as far as they are known without unpacking them. */
  *retiredMarkets(filter: RetiredFilter = {}): Generator<RetiredMarket> {
    const { markets } = this.#state;
    for (const [number, entry] of markets.takeEntries().entries()) {
      const isWanted = entry !== NONE && markets.retired.isLike(entry, filter);
      if (isWanted) yield { marketId: markets.ids.id(number), ...markets.retired.fields(entry) };
    }
  }

  /** The same of one market; undefined of one that is not retired. */
  retired(marketId: MarketId): RetiredFields | undefined {
    const { markets } = this.#state;
    const entry = markets.entryOf(marketId);
    return entry === NONE ? undefined : markets.retired.fields(entry);
  }

  /** What retired markets come to, for each chain. */
  retiredTotals(): RetiredTotal[] {
    const { markets } = this.#state;
    return markets.retired.totals(markets.takeEntries());
  }

  /** Markets whose contract has this address, one of whose tokens has this id, or whose event has it. */
  marketsNamed(name: string): MarketView[] {
    return this.#state.markets.named(name);
  }

  /** Any order still remembered, open or final. */
  order(hash: OrderHash): OrderView | undefined {
    const order = this.#state.findOrder(hash);
    return order === NONE ? undefined : toOrderView(this.#state, order);
  }

  /** What was answered to this very order when it came first, while it is remembered. */
  firstAnswer(signed: SignedOrder): OrderAnswer | undefined {
    return findFirstAnswer(this.#state, signed);
  }

  /** Newest first. */
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

  /** Best first; exact past 2^53. */
  levels(marketId: MarketId, outcome: Outcome, side: Side, limit?: number): Level[] {
    return this.#state.markets.active(marketId)?.books[outcome]?.levels(side, limit) ?? [];
  }

  levelSize(marketId: MarketId, outcome: Outcome, side: Side, price: number): number | bigint {
    return this.#state.markets.active(marketId)?.books[outcome]?.levelSize(side, price) ?? 0;
  }

  /** 0 when the side is empty. */
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

  /** Any trade still remembered: unsettled ones, and recently confirmed ones. */
  trade(marketId: MarketId, tradeId: string): TradeView | undefined {
    const market = this.#state.markets.active(marketId);
    const trade = market === undefined ? NONE : this.#state.findTrade(market, tradeId);
    return trade === NONE ? undefined : toTradeView(this.#state, trade);
  }

  /** Oldest first in each market. */
  unsettledTrades(filter: TraderFilter = {}): TradeView[] {
    return this.#unsettled(filter).map((trade) => toTradeView(this.#state, trade));
  }

  /** The same for who counts them: a chain that is away leaves many. */
  unsettledBriefs(filter: TraderFilter = {}): TradeBrief[] {
    return this.#unsettled(filter).map((trade) => toTradeBrief(this.#state, trade));
  }

  /** For gauges and for tests of memory. */
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

  /** A trader without any costs little, however many others have. */
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

  /** Markets that may have orders or trades of the trader, with its account there; without one if all traders are asked for. */
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
