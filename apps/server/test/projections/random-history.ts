// A long random life of an exchange, from one seed: the real engine decides, a toy chain mines, reorganises and mints.
import { Engine, TRADE_MOVES, type TradeView } from '@presage/engine';
import {
  type Address,
  DEFAULT_TERMS,
  type EngineCommand,
  FAULT_PARTIES,
  isJournalled,
  type JournalRecord,
  type MarketFacts,
  type MarketId,
  type OrderHash,
  type Outcome,
  type PayoutRedeemed,
  type SharesMoved,
  type Side,
  type TradeRevived,
  type TradeSettlement,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { eventFacts, listMarket, ManualClock, placeOrder, SeededRandom } from '@presage/testkit';

export interface HistoryParams {
  readonly seed: number;
  readonly orders: number;
  readonly markets?: number;
  readonly wallets?: number;
  /** Share of trades that fail; the rest is confirmed in the end. */
  readonly failures?: number;
  /** How often a trade moves, to ten orders: below 50 or so, trades pile up. */
  readonly moves?: number;
  /** How often a position is read from the chain, to ten orders. */
  readonly syncs?: number;
  /** How often shares come or go without a trade, to ten orders. */
  readonly shifts?: number;
  /** How often the chain takes blocks back, to ten orders. */
  readonly rewinds?: number;
  /** How often a failed trade is settled after all, or not any more, to ten orders. */
  readonly revivals?: number;
  /** Outcomes of an event whose markets are listed beside the others; none by default. */
  readonly outcomes?: number;
  /** How often shares of the event are converted, to ten orders. */
  readonly conversions?: number;
}

/** What the first markets charge takers; the others charge nothing. */
const RATES = [
  { feeRateBps: 700, makerShareBps: 10_000 },
  {},
  { feeRateBps: 133, makerShareBps: 3_333 },
  { feeRateBps: 1 },
];

type ChainFact = Omit<SharesMoved, 'type' | 'cause' | 'yesShares' | 'noShares' | 'conversion'>;

type Untimed = EngineCommand extends infer Command
  ? Command extends unknown
    ? Omit<Command, 'timeMs'>
    : never
  : never;

export class RandomHistory {
  readonly random: SeededRandom;
  readonly clock = new ManualClock();
  readonly marketIds: MarketId[];
  readonly wallets: Address[];
  readonly #engine = new Engine();
  readonly #params: Required<HistoryParams>;
  readonly #placed: { marketId: MarketId; orderHash: OrderHash }[] = [];
  readonly #unsettled: { marketId: MarketId; tradeId: string }[] = [];
  readonly #failed: { marketId: MarketId; tradeId: string; size: number }[] = [];
  readonly #revivals: TradeRevived[] = [];
  readonly #event: readonly MarketFacts[];
  #block = 100;
  #nonce = 0n;
  /** Records of late, to be delivered again. */
  #shifts: (SharesMoved | PayoutRedeemed)[] = [];

  constructor(params: HistoryParams) {
    const rates = { failures: 0.1, moves: 12, syncs: 0.3, shifts: 0.5, rewinds: 0.05, conversions: 0, revivals: 0.1 };
    this.#params = { markets: 5, wallets: 12, outcomes: 0, ...rates, ...params };
    this.random = new SeededRandom(params.seed);
    const single = Array.from({ length: this.#params.markets }, () => this.random.hex(32));
    this.wallets = Array.from({ length: this.#params.wallets }, () => this.random.hex(20));
    const names = Array.from({ length: this.#params.outcomes }, (_, index) => `outcome ${index}`);
    this.#event = eventFacts(names, this.random.hex(1).slice(2));
    this.marketIds = [...single, ...this.#event.map(({ marketId }) => marketId)];
  }

  /** One group of records per command, as the host would append them. */
  *steps(): Generator<readonly JournalRecord[]> {
    for (const [index, marketId] of this.marketIds.entries()) {
      const facts = {
        marketId,
        contractAddress: this.random.hex(20),
        chainId: index === 0 ? 1 : 31337,
        ...RATES[index],
        ...this.#event[index - this.#params.markets],
      };
      yield this.#apply(listMarket(this.clock.nowMs, { question: `Is "${index}"\\ \0 a number?`, ...facts }));
    }
    for (let placed = 0; placed < this.#params.orders; ) {
      const act = this.random.weighted({
        place: 10,
        cancel: 1,
        move: this.#params.moves,
        sync: this.#params.syncs,
        shift: this.#params.shifts,
        rewind: this.#params.rewinds,
        convert: this.#params.conversions,
        permit: 0.3,
        revive: this.#params.revivals,
        wait: 1,
      });
      if (act === 'place') placed++;
      const records = this[`_${act}`]();
      if (records.length > 0) yield records;
    }
    yield this.#apply({ type: 'close-market', marketId: this.marketIds[0]!, reason: 'vanished' });
  }

  _place(): readonly JournalRecord[] {
    const marketId = this.random.pick(this.marketIds);
    const isOdd = this.random.chance(0.3);
    const order = {
      marketId,
      trader: this.random.pick(this.wallets),
      side: this.random.int(0, 1) as Side,
      outcome: this.random.int(0, 1) as Outcome,
      price: toPrice(isOdd ? this.random.int(1, 999_999) : this.random.int(45, 55) * 10_000),
      size: toSize(
        this.random.chance(0.01) ? 2 ** 52 : this.random.int(1, isOdd ? 9_999_999 : 20) * (isOdd ? 1 : 500_000),
      ),
      nonce: this.random.chance(0.1) ? this.random.bigint64() : ++this.#nonce,
      expiration: BigInt(this.clock.nowSeconds + this.random.int(60, 100_000)),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const timeInForce = this.random.weighted({ GTC: 8, IOC: 1, FOK: 1 });
    const selfTradePrevention = this.random.weighted({ none: 8, cancel_resting: 1, cancel_incoming: 1 });
    const terms = { ...DEFAULT_TERMS, timeInForce, selfTradePrevention, timeMs: this.clock.nowMs };
    const command = placeOrder(order, terms);
    this.#placed.push({ marketId, orderHash: command.orderHash });
    return this.#apply(command);
  }

  _cancel(): readonly JournalRecord[] {
    if (this.#placed.length === 0) return [];
    return this.#apply({ type: 'cancel-order', ...this.random.pick(this.#placed), reason: 'user' });
  }

  /** Changes the permit of an order that was accepted. */
  _permit(): readonly JournalRecord[] {
    const order = this.#placed.length === 0 ? undefined : this.random.pick(this.#placed);
    if (order === undefined || this.#engine.order(order.orderHash) === undefined) return [];
    const status = this.random.pick(['submitted', 'confirmed', 'failed', 'skipped'] as const);
    const fate = this.random.chance(0.5) ? { txHash: this.random.hex(32) } : { reason: 'InvalidPermit()' };
    return [{ type: 'permit-changed', timeMs: this.clock.nowMs, ...order, status, ...fate }];
  }

  /** Time passes: now and then a whole hour, so that orders expire and the day's volume rolls. */
  _wait(): readonly JournalRecord[] {
    this.clock.advanceMs(this.random.chance(0.05) ? 3_600_000 : this.random.int(1, 5_000));
    if (this.random.chance(0.5)) this.#block++;
    return this.#apply({ type: 'tick' });
  }

  _move(): readonly JournalRecord[] {
    const place = Math.floor(this.random.fraction() ** 3 * this.#unsettled.length);
    const where = this.#unsettled[place];
    const trade = where && this.#engine.trade(where.marketId, where.tradeId);
    if (where === undefined || trade === undefined) return this.#remove(place);
    if (trade.stage === 'confirmed' && this.random.chance(0.9)) return this.#remove(place);
    const stage = this.random.pick(TRADE_MOVES[trade.stage]);
    if (stage !== 'failed') {
      const settlement = this.#settle(trade, stage === 'mined');
      return this.#apply({ type: 'move-trade', ...where, stage: stage as 'mined', ...(settlement && { settlement }) });
    }
    if (!this.random.chance(this.#params.failures * 2)) return [];
    const settlement = this.random.chance(0.5) ? this.#settle(trade, false) : undefined;
    const faultParty = this.random.pick(FAULT_PARTIES);
    const blame = { faultParty, reason: `the ${faultParty}'s "purse" is \\empty` };
    this.#failed.push({ ...where, size: trade.size });
    return this.#apply({ type: 'fail-trade', ...where, ...blame, ...(settlement && { settlement }) });
  }

  /** A failed trade is settled after all, or leaves the chain again; at times the same is written twice. */
  _revive(): readonly JournalRecord[] {
    if (this.#revivals.length > 0 && this.random.chance(0.2)) return [this.#revivals.at(-1)!];
    if (this.#failed.length === 0) return [];
    const { marketId, tradeId, size } = this.random.pick(this.#failed);
    const stage = this.random.pick(['confirmed', 'failed'] as const);
    const carrier = { transactionHash: this.#transactionHash(undefined), batchIndex: 0, isBatch: false, attempt: 2 };
    const mined = { blockNumber: this.#block - this.random.int(0, 2), minted: this.random.int(0, size) };
    const settlement = { ...carrier, ...(stage === 'confirmed' && mined) };
    const record = { type: 'trade-revived', timeMs: this.clock.nowMs, marketId, tradeId, stage, settlement } as const;
    this.#revivals.push(record);
    return [record];
  }

  /** Balances as some chain may have them: not those of the trades, so that there is something to explain. */
  _sync(): readonly JournalRecord[] {
    const shares = () => String(this.random.chance(0.2) ? 0 : this.random.int(0, 30_000_000));
    const who = { marketId: this.random.pick(this.marketIds), userAddress: this.random.pick(this.wallets) };
    const blockNumber = this.#block - this.random.int(0, 3);
    const facts = { yesShares: shares(), noShares: shares(), blockNumber };
    return [{ type: 'position-synced', timeMs: this.clock.nowMs, ...who, ...facts }];
  }

  /** Shares come or go on chain, by any wallet in any market; at times a log is delivered twice. */
  _shift(): readonly JournalRecord[] {
    if (this.#shifts.length > 0 && this.random.chance(0.2)) return [this.random.pick(this.#shifts)];
    const cause = this.random.pick(['transfer', 'split', 'merge', 'redemption'] as const);
    const fact = this.#fact(this.#block - this.random.int(0, 3));
    const [yes, no] = [this.random.int(0, 9_000_001), this.random.int(0, 9_000_001)];
    const record = cause === 'redemption' ? this.#redemption(fact, yes, no) : this.#shares(fact, cause, yes, no);
    this.#shifts = [...this.#shifts.slice(-5), record];
    return [record];
  }

  /** NO of some outcomes become YES of the others, or shares are made, unmade or converted back; each listed market has a record. */
  _convert(): readonly JournalRecord[] {
    const size = BigInt(this.random.int(1, 9_000_001));
    const all = (1n << BigInt(this.#event.length)) - 1n;
    const some = BigInt(this.random.int(1, Number(all)));
    const one = 1n << BigInt(this.random.below(this.#event.length));
    const countOf = (set: bigint) => BigInt(this.#event.filter((_, index) => (set >> BigInt(index)) & 1n).length);
    const kind = this.random.weighted({ convert: 6, back: 3, split: 1, merge: 1 });
    const [gaveNo, gave, got, freed] = {
      convert: [true, some, all ^ some, size * (countOf(some) - 1n)] as const,
      back: [false, all ^ one, one, 0n] as const,
      split: [true, 0n, all, -size] as const,
      merge: [false, all, 0n, size] as const,
    }[kind];
    const fact = this.#fact(this.#block);
    const conversion = { gave: `${gave}`, got: `${got}`, freed: `${freed}` };
    const records = this.#event.map(({ marketId }, index): SharesMoved => {
      const isGiven = ((gave >> BigInt(index)) & 1n) === 1n;
      const isTaken = ((got >> BigInt(index)) & 1n) === 1n;
      const shares = isGiven ? -size : isTaken ? size : 0n;
      const isNo = isGiven === gaveNo;
      const moved = { yesShares: `${isNo ? 0n : shares}`, noShares: `${isNo ? shares : 0n}` };
      return { ...fact, marketId, type: 'shares-moved', cause: 'conversion', ...moved, conversion };
    });
    const touched = records.filter(({ yesShares, noShares }) => yesShares !== '0' || noShares !== '0');
    this.#shifts = [...this.#shifts.slice(-5), this.random.pick(touched)];
    return touched;
  }

  #fact(blockNumber: number): ChainFact {
    return {
      timeMs: this.clock.nowMs,
      marketId: this.random.pick(this.marketIds),
      userAddress: this.random.pick(this.wallets),
      txHash: this.random.hex(32),
      logIndex: this.random.int(0, 9),
      blockNumber,
      blockHash: this.random.hex(32),
      timestamp: this.clock.nowSeconds,
    };
  }

  #shares(fact: ChainFact, cause: SharesMoved['cause'], yes: number, no: number): SharesMoved {
    if (cause === 'split') return { ...fact, type: 'shares-moved', cause, yesShares: `${yes}`, noShares: `${yes}` };
    if (cause === 'merge') return { ...fact, type: 'shares-moved', cause, yesShares: `${-yes}`, noShares: `${-yes}` };
    const sign = this.random.chance(0.5) ? -1 : 1;
    return { ...fact, type: 'shares-moved', cause, yesShares: `${sign * yes}`, noShares: `${-sign * no}` };
  }

  #redemption(fact: ChainFact, yes: number, no: number): PayoutRedeemed {
    const winningOutcome = this.random.pick([0, 1, -1] as const);
    const payout = winningOutcome === -1 ? Math.floor(yes / 2) + Math.floor(no / 2) : [yes, no][winningOutcome]!;
    const burned = { yesShares: `${yes}`, noShares: `${no}`, payout: `${payout}` };
    return { ...fact, type: 'payout-redeemed', ...burned, winningOutcome };
  }

  _rewind(): readonly JournalRecord[] {
    const chainId = this.random.pick([1, 31_337]);
    const toBlock = this.#block - this.random.int(0, 6);
    this.#shifts = [];
    return [
      {
        type: 'chain-rewound',
        timeMs: this.clock.nowMs,
        chainId,
        toBlock,
        cause: this.random.pick(['reorg', 'restart'] as const),
      },
    ];
  }

  #remove(place: number): [] {
    this.#unsettled.splice(place, 1);
    return [];
  }

  #settle(trade: TradeView, isMined: boolean): TradeSettlement {
    const { settlement: former, size } = trade;
    const isResent = former === undefined || trade.stage === 'retrying' || this.random.chance(0.05);
    const settlement: TradeSettlement = {
      transactionHash: isResent ? this.#transactionHash(former) : former.transactionHash,
      batchIndex: this.random.int(0, 9),
      isBatch: this.random.chance(0.9),
      attempt: (former?.attempt ?? 0) + (isResent ? 1 : 0),
    };
    if (!isMined) return settlement;
    const minted = this.random.pick([undefined, 0, size, this.random.int(0, size)]);
    const blockNumber = this.#block - this.random.int(0, 2);
    return { ...settlement, blockNumber, ...(minted !== undefined && { minted }) };
  }

  /** Few hashes, so that transactions have several fills and trades come back to one they left. */
  #transactionHash(former: TradeSettlement | undefined): `0x${string}` {
    if (former !== undefined && this.random.chance(0.2)) return former.transactionHash;
    return `0x${this.random.int(0, 400).toString(16).padStart(64, '0')}`;
  }

  #apply(command: Untimed | EngineCommand): readonly JournalRecord[] {
    const events = this.#engine.apply({ ...command, timeMs: this.clock.nowMs } as EngineCommand).filter(isJournalled);
    for (const event of events) {
      if (event.type === 'trade-matched') this.#unsettled.push({ marketId: event.marketId, tradeId: event.tradeId });
    }
    return events;
  }
}
