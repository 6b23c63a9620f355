// An endless flow of commands that touches every rule of the engine, all from one seed.
import {
  type Address,
  type EngineCommand,
  type EngineOutput,
  FAULT_PARTIES,
  type FeeRates,
  type MarketId,
  type MarketResolution,
  makeTerms,
  ORDER_TERMS,
  type Order,
  type OrderTermName,
  type OrderTerms,
  type PlaceOrder,
  type Price,
  SELF_TRADE_PREVENTIONS,
  type Side,
  type Size,
  TIMES_IN_FORCE,
  TRADE_PARTIES,
  TRADE_STAGES,
  type TradeStage,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { ManualClock, marketFacts, SeededRandom, TRADERS } from '@presage/testkit';

const WALLETS: readonly Address[] = Object.values(TRADERS);
const OPEN_MARKETS = 3;
const CHAINS = [31_337, 31_338];
/** Enough to hit orders and trades that still matter; more would be found final nearly always. */
const RECENT = 60;
const MOVES = TRADE_STAGES.filter((stage) => stage !== 'matched' && stage !== 'failed');

/** Likely moves, so that trades get somewhere. */
const FORWARD = {
  matched: ['submitted'],
  submitted: ['mined', 'mined', 'retrying'],
  mined: ['confirmed', 'confirmed', 'retrying'],
  confirmed: ['mined', 'retrying'],
  retrying: ['submitted'],
  failed: ['submitted'],
} as const satisfies Record<TradeStage, readonly (typeof MOVES)[number][]>;

const WEIGHTS = {
  place: 520,
  cancel: 150,
  cancelAll: 6,
  replay: 20,
  reuseNonce: 25,
  move: 170,
  fail: 45,
  tick: 35,
  close: 5,
  resolve: 6,
  nonsense: 6,
} as const;

interface TradeOnItsWay {
  readonly marketId: MarketId;
  readonly tradeId: string;
  stage: TradeStage;
}

export class RandomCommands {
  readonly #random: SeededRandom;
  readonly #clock = new ManualClock();
  readonly #orders: PlaceOrder[] = [];
  readonly #trades: TradeOnItsWay[] = [];
  #markets: MarketId[] = [];
  /** Closed ones, of which there is something to decide. */
  readonly #closed: MarketId[] = [];
  #count = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  next(): EngineCommand {
    this.#clock.advanceMs(this.#elapsedMs());
    if (this.#markets.length < OPEN_MARKETS) return this.#list();
    if (this.#trades.length > RECENT) return this.#settleOldest();
    switch (this.#random.weighted(WEIGHTS)) {
      case 'place':
        return this.#place();
      case 'cancel':
        return this.#cancel();
      case 'cancelAll':
        return this.#cancelAll();
      case 'replay':
        return this.#replay();
      case 'reuseNonce':
        return this.#reuseNonce();
      case 'move':
        return this.#move();
      case 'fail':
        return this.#fail();
      case 'tick':
        return this.#timed({ type: 'tick' });
      case 'close':
        return this.#close();
      case 'resolve':
        return this.#resolve();
      case 'nonsense':
        return this.#nonsense();
    }
  }

  /** The resulting events determine what can be cancelled, moved or closed next. */
  observe(outputs: readonly EngineOutput[]): void {
    for (const output of outputs) {
      if (output.type === 'market-listed') this.#markets.push(output.marketId);
      if (output.type === 'market-closed') {
        this.#markets = this.#markets.filter((id) => id !== output.marketId);
        keepRecent(this.#closed, output.marketId);
      }
      if (output.type === 'trade-matched') {
        this.#trades.push({ marketId: output.marketId, tradeId: output.tradeId, stage: 'matched' });
      }
      if (output.type === 'trade-moved') this.#noteStage(output.tradeId, output.stage);
      if (output.type === 'trade-failed') this.#noteStage(output.tradeId, 'failed');
    }
  }

  #noteStage(tradeId: string, stage: TradeStage): void {
    const moved = this.#trades.find((trade) => trade.tradeId === tradeId);
    if (moved !== undefined) moved.stage = stage;
  }

  /** Settlement gets to every trade in the end; left unsettled they and their orders would be kept for ever. */
  #settleOldest(): EngineCommand {
    const { marketId, tradeId, stage } = this.#trades[0]!;
    if (stage === 'mined' || stage === 'confirmed' || stage === 'failed') this.#trades.shift();
    return this.#timed({ type: 'move-trade' as const, marketId, tradeId, stage: FORWARD[stage][0] });
  }

  /** Mostly milliseconds; at times long enough for orders to expire, trades to leave memory, markets to close. */
  #elapsedMs(): number {
    const pace = this.#random.weighted({ quick: 970, slow: 29, long: 1 });
    if (pace === 'quick') return this.#random.int(0, 40);
    return pace === 'slow' ? this.#random.int(100, 3_000) : this.#random.int(60_000, 1_200_000);
  }

  #timed<T extends object>(command: T): T & { readonly timeMs: number } {
    return { ...command, timeMs: this.#clock.nowMs };
  }

  #list(): EngineCommand {
    const marketId = this.#random.hex(32);
    const facts = {
      marketId,
      ...ratesOf(marketId),
      chainId: this.#random.pick(CHAINS),
      expiration: this.#clock.nowSeconds + this.#random.int(60, 2_400),
      question: 'Chove amanhã? ☔',
      ...(this.#random.chance(0.5) && { earlyResolution: true as const }),
    };
    return this.#timed({ type: 'list-market' as const, market: marketFacts(facts) });
  }

  #place(): PlaceOrder {
    const side = this.#random.int(0, 1) as Side;
    return this.#remember({
      marketId: this.#random.pick(this.#markets),
      trader: this.#random.pick(WALLETS),
      side,
      outcome: this.#random.chance(0.7) ? 0 : 1,
      price: this.#price(side),
      size: this.#size(),
      nonce: this.#random.chance(0.1) ? this.#random.bigint64() : BigInt(this.#count),
      expiration: this.#expiration(),
      makerFeeRecipient: this.#random.chance(0.05) ? this.#random.pick(WALLETS) : ZERO_ADDRESS,
    });
  }

  /** Bids and asks overlap enough to trade often; few distinct prices, so that queues form. */
  #price(side: Side): Price {
    if (this.#random.chance(0.01)) return this.#random.pick([1, 2, 999_998, 999_999]) as Price;
    const distance = this.#random.int(-5, 8) * this.#random.pick([1, 32, 10_000]);
    return (side === 0 ? 500_000 - distance : 500_000 + distance) as Price;
  }

  #size(): Size {
    const kind = this.#random.weighted({ small: 80, large: 15, huge: 5 });
    if (kind === 'small') return this.#random.int(1, 50) as Size;
    return (kind === 'large' ? this.#random.int(1, 10 ** 9) : Number.MAX_SAFE_INTEGER - this.#random.int(0, 2)) as Size;
  }

  #expiration(): bigint {
    const kind = this.#random.weighted({ past: 1, soon: 40, later: 57, never: 2 });
    if (kind === 'never') return 2n ** 64n - 1n;
    const ahead = kind === 'past' ? [-5, 0] : kind === 'soon' ? [1, 15] : [16, 600];
    return BigInt(this.#clock.nowSeconds + this.#random.int(ahead[0]!, ahead[1]!));
  }

  #remember(order: Order): PlaceOrder {
    this.#count++;
    const orderHash = `0x${this.#count.toString(16).padStart(64, '0')}` as const;
    // One in twenty is of a contract wallet: longer, with the mark behind it.
    const isWallet = this.#random.chance(0.05);
    const signature = `0x${orderHash.slice(2).repeat(isWallet ? 3 : 2)}${isWallet ? '77' : '1c'}` as const;
    const permit = { nonce: 1n, value: 2n ** 256n - 1n, deadline: 9n, v: 27, r: orderHash, s: orderHash };
    const signed = { orderHash, order, signature, terms: this.#terms() };
    const command = this.#timed({
      type: 'place-order' as const,
      ...signed,
      ...(this.#random.chance(0.02) && { permit }),
    });
    keepRecent(this.#orders, command);
    return command;
  }

  /** A term that is not weighed here is drawn from its values. */
  #terms(): OrderTerms {
    const weighed: Partial<OrderTerms> = {
      timeInForce: this.#random.chance(0.8) ? 'GTC' : this.#random.pick(TIMES_IN_FORCE),
      postOnly: this.#random.chance(0.08),
      selfTradePrevention: this.#random.chance(0.5) ? 'none' : this.#random.pick(SELF_TRADE_PREVENTIONS),
    };
    const drawn = (values: readonly OrderTerms[OrderTermName][]) => this.#random.pick(values);
    return makeTerms((name) => weighed[name] ?? drawn(ORDER_TERMS[name]));
  }

  #cancel(): EngineCommand {
    if (this.#orders.length === 0) return this.#place();
    const { orderHash, order } = this.#random.pick(this.#orders);
    const { marketId } = this.#random.chance(0.97) ? order : { marketId: this.#random.pick(this.#markets) };
    const reason = this.#random.pick(['user', 'cancelled_on_chain', 'insufficient_cover'] as const);
    const trader = this.#random.chance(0.95) ? order.trader : this.#random.pick(WALLETS);
    const cancel = { type: 'cancel-order' as const, marketId, orderHash, reason };
    return this.#timed(this.#random.chance(0.5) ? cancel : { ...cancel, trader });
  }

  #cancelAll(): EngineCommand {
    const all = {
      type: 'cancel-orders' as const,
      trader: this.#random.pick(WALLETS),
      reason: 'heartbeat_lapsed' as const,
    };
    const where = this.#random.pick(['everywhere', 'on a chain', 'in a market', 'in a market'] as const);
    if (where === 'everywhere') return this.#timed(all);
    if (where === 'on a chain') return this.#timed({ ...all, chainId: this.#random.pick(CHAINS) });
    return this.#timed({ ...all, marketId: this.#random.pick(this.#markets) });
  }

  #replay(): EngineCommand {
    if (this.#orders.length === 0) return this.#place();
    const again = this.#random.pick(this.#orders);
    const other = `0x${'ee'.repeat(65)}` as const;
    return this.#timed(this.#random.chance(0.8) ? again : { ...again, signature: other });
  }

  #reuseNonce(): EngineCommand {
    if (this.#orders.length === 0) return this.#place();
    const { marketId, trader, nonce } = this.#random.pick(this.#orders).order;
    return this.#remember({ ...this.#place().order, marketId, trader, nonce });
  }

  #move(): EngineCommand {
    if (this.#trades.length === 0) return this.#place();
    const { marketId, tradeId, stage: from } = this.#random.pick(this.#trades);
    const stage = this.#random.chance(0.8) ? this.#random.pick(FORWARD[from]) : this.#random.pick(MOVES);
    const move = { type: 'move-trade' as const, marketId, tradeId, stage };
    if (this.#random.chance(0.5)) return this.#timed(move);
    const settlement = { transactionHash: this.#random.hex(32), batchIndex: 3, isBatch: true, attempt: 1 };
    return this.#timed({ ...move, settlement });
  }

  #fail(): EngineCommand {
    if (this.#trades.length === 0) return this.#place();
    const { marketId, tradeId } = this.#random.pick(this.#trades);
    const faultParty = this.#random.pick(FAULT_PARTIES);
    const isOverfilled = faultParty === 'chain' && this.#random.chance(0.5);
    const fault = { faultParty, reason: 'balance too low' };
    const overfilled = isOverfilled ? { overfilled: this.#random.pick(TRADE_PARTIES) } : {};
    return this.#timed({ type: 'fail-trade' as const, marketId, tradeId, ...fault, ...overfilled });
  }

  #close(): EngineCommand {
    const reason = this.#random.pick(['expired', 'vanished', 'closed_early'] as const);
    return this.#timed({ type: 'close-market' as const, marketId: this.#random.pick(this.#markets), reason });
  }

  /** Any state may follow any other: a reorganization can take every step back. */
  #resolve(): EngineCommand {
    const isOpen = this.#closed.length === 0 || this.#random.chance(0.1);
    const marketId = this.#random.pick(isOpen ? this.#markets : this.#closed);
    const resolution = this.#random.pick<MarketResolution>([
      { status: 'expired', round: 0, history: [] },
      { history: [], round: 0, status: 'expired' },
      { status: 'proposed', round: 1, history: [] },
      { status: 'void', round: 0, history: [], payouts: [500_000, 500_000] },
      { status: 'resolved', round: 0, history: [], payouts: [1_000_000, 0], winningOutcome: 0 },
    ]);
    return this.#timed({ type: 'change-resolution' as const, marketId, resolution });
  }

  #nonsense(): EngineCommand {
    const marketId = this.#random.hex(32);
    const place = this.#place();
    return this.#random.pick<EngineCommand>([
      { ...place, order: { ...place.order, marketId } },
      this.#timed({ type: 'cancel-order' as const, marketId, orderHash: marketId, reason: 'user' as const }),
      this.#timed({ type: 'cancel-orders' as const, marketId, trader: place.order.trader, reason: 'user' as const }),
      this.#timed({ type: 'move-trade' as const, marketId, tradeId: 'none-1', stage: 'mined' as const }),
      this.#timed({ type: 'close-market' as const, marketId, reason: 'vanished' as const }),
      this.#timed({
        type: 'list-market' as const,
        market: marketFacts({ marketId: this.#random.pick(this.#markets) }),
      }),
    ]);
  }
}

/** A market in two charges takers, one in four gives a part back; drawn from its id. */
function ratesOf(marketId: MarketId): FeeRates {
  const drawn = Number.parseInt(marketId.slice(2, 8), 16);
  if (drawn % 2 === 0) return {};
  const feeRateBps = 1 + (drawn % 700);
  return drawn % 4 === 1 ? { feeRateBps } : { feeRateBps, makerShareBps: 1 + (drawn % 10_000) };
}

function keepRecent<T>(items: T[], item: T): void {
  items.push(item);
  if (items.length > RECENT) items.shift();
}
