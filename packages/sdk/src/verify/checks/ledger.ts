// Sums of the journal for each market: shares outstanding, the collateral behind them, and bonds.
import {
  BUY,
  type ChainRewound,
  type JournalRecord,
  type MarketFacts,
  type MarketId,
  type MarketResolution,
  type OrderHash,
  type PayoutRedeemed,
  type SharesMoved,
  type Side,
  type TradeFailed,
  type TradeMatched,
  type TradeMoved,
  type TradeRevived,
  type TradeSettlement,
  type TradeStage,
  type TransactionHash,
} from '@presage/protocol';

export interface LedgerTrade {
  readonly seq: number;
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly buyHash: OrderHash;
  readonly sellHash: OrderHash;
  readonly price: number;
  readonly size: number;
  readonly takerSide: Side;
  stage: TradeStage;
  settlement: TradeSettlement | undefined;
}

/** Sums of a market, in millionths. */
export interface MarketSums {
  readonly marketId: MarketId;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  /** Collateral paid in for pairs, less what was paid out. */
  readonly collateral: bigint;
  /** Bonds of unsettled proposals. */
  readonly bonds: bigint;
  readonly trades: number;
  readonly unsettledTrades: number;
}

type ShareFact = SharesMoved | PayoutRedeemed;

type TradeLine = readonly [
  tag: 'trade',
  seq: number,
  marketId: MarketId,
  tradeId: string,
  orders: readonly [buyHash: OrderHash, sellHash: OrderHash],
  fill: readonly [price: number, size: number, takerSide: Side],
  stage: TradeStage,
  settlement: TradeSettlement | null,
];
type LedgerLine =
  | readonly [tag: 'market', facts: MarketFacts]
  | readonly [tag: 'resolution', marketId: MarketId, resolution: MarketResolution]
  | readonly [tag: 'fact', fact: ShareFact]
  | readonly [tag: 'closed', marketId: MarketId]
  | TradeLine;

export class Ledger {
  /** Trades by market, then by id. */
  readonly #trades = new Map<MarketId, Map<string, LedgerTrade>>();
  readonly #resolutions = new Map<MarketId, MarketResolution>();
  readonly #markets = new Map<MarketId, MarketFacts>();
  /** Facts by log and market: a reorg can remove them, and a log reported again counts once. */
  readonly #facts = new Map<string, ShareFact>();
  readonly #closed = new Set<MarketId>();

  static restore(lines: Iterable<string>): Ledger {
    const ledger = new Ledger();
    for (const line of lines) ledger.#restore(JSON.parse(line));
    return ledger;
  }

  /** Facts of all listed markets, in listing order. */
  get markets(): MarketFacts[] {
    return [...this.#markets.values()];
  }

  /** Trades of each market in the order of matching, without failed ones. */
  *trades(): Generator<LedgerTrade> {
    for (const trade of this.#allTrades()) if (trade.stage !== 'failed') yield trade;
  }

  isClosed(marketId: MarketId): boolean {
    return this.#closed.has(marketId);
  }

  *stateLines(): Generator<string> {
    for (const line of this.#lines()) yield JSON.stringify(line);
  }

  apply(record: JournalRecord, seq: number): void {
    switch (record.type) {
      case 'market-listed':
        this.#markets.set(record.marketId, record.market);
        break;
      case 'market-closed':
        this.#closed.add(record.marketId);
        break;
      case 'trade-matched':
        this.#add(toTrade(record, seq));
        break;
      case 'trade-moved':
      case 'trade-revived':
        this.#move(record, record.stage);
        break;
      case 'trade-failed':
        this.#move(record, 'failed');
        break;
      case 'resolution-changed':
        this.#resolutions.set(record.marketId, record.resolution);
        break;
      case 'shares-moved':
      case 'payout-redeemed':
        this.#facts.set(keyOf(record), record);
        break;
      case 'chain-rewound':
        this.#rewind(record);
        break;
    }
  }

  sums(): MarketSums[] {
    const sums = new Map([...this.#markets.keys()].map((marketId) => [marketId, emptySums(marketId)]));
    for (const trade of this.trades()) addTrade(sums.get(trade.marketId), trade);
    for (const fact of this.#facts.values()) addFact(sums.get(fact.marketId), fact);
    for (const [first] of this.conversions()) addFreed(first && sums.get(first.marketId), first);
    // The markets of an event share its assertions, so each is counted once.
    const counted = new Set<string>();
    for (const [marketId, { assertion }] of this.#resolutions) {
      const market = sums.get(marketId);
      if (market === undefined || assertion === undefined || assertion.settled || counted.has(assertion.id)) continue;
      counted.add(assertion.id);
      market.bonds += BigInt(assertion.bondAmount) * (assertion.disputed ? 2n : 1n);
    }
    return [...sums.values()];
  }

  resolutionOf(marketId: MarketId): MarketResolution | undefined {
    return this.#resolutions.get(marketId);
  }

  /** The parts of every conversion, one per market. */
  conversions(): Iterable<readonly SharesMoved[]> {
    const byLog = new Map<string, SharesMoved[]>();
    for (const fact of this.#facts.values()) {
      if (fact.type !== 'shares-moved' || fact.conversion === undefined) continue;
      const parts = byLog.get(logOf(fact));
      if (parts === undefined) byLog.set(logOf(fact), [fact]);
      else parts.push(fact);
    }
    return byLog.values();
  }

  #add(trade: LedgerTrade): void {
    const { marketId, tradeId } = trade;
    const trades = this.#trades.get(marketId);
    if (trades === undefined) this.#trades.set(marketId, new Map([[tradeId, trade]]));
    else trades.set(tradeId, trade);
  }

  /** Rewinds one chain only: every chain numbers its own blocks. */
  #rewind({ chainId, toBlock }: ChainRewound): void {
    for (const [key, { blockNumber, marketId }] of this.#facts) {
      if (blockNumber > toBlock && this.#markets.get(marketId)?.chainId === chainId) this.#facts.delete(key);
    }
  }

  *#lines(): Generator<LedgerLine> {
    for (const facts of this.#markets.values()) yield ['market', facts];
    for (const marketId of this.#closed) yield ['closed', marketId];
    for (const [marketId, resolution] of this.#resolutions) yield ['resolution', marketId, resolution];
    for (const fact of this.#facts.values()) yield ['fact', fact];
    for (const trade of this.#allTrades()) yield toTradeLine(trade);
  }

  #restore(line: LedgerLine): void {
    if (line[0] === 'trade') this.#add(fromTradeLine(line));
    else if (line[0] === 'fact') this.#facts.set(keyOf(line[1]), line[1]);
    else if (line[0] === 'market') this.#markets.set(line[1].marketId, line[1]);
    else if (line[0] === 'resolution') this.#resolutions.set(line[1], line[2]);
    else this.#closed.add(line[1]);
  }

  /** A failed trade is kept: a deep reorganization may settle it after all. */
  *#allTrades(): Generator<LedgerTrade> {
    for (const trades of this.#trades.values()) yield* trades.values();
  }

  #move(event: TradeMoved | TradeFailed | TradeRevived, stage: TradeStage): void {
    const trade = this.#trades.get(event.marketId)?.get(event.tradeId);
    if (trade === undefined) return;
    trade.stage = stage;
    if (event.settlement !== undefined) trade.settlement = event.settlement;
  }
}

export function isOnChain({ stage }: LedgerTrade): boolean {
  return stage === 'mined' || stage === 'confirmed';
}

/** Identifies a trade as the chain does. */
export function settlementKey(
  transactionHash: TransactionHash,
  { buyHash, sellHash }: Pick<LedgerTrade, 'buyHash' | 'sellHash'>,
): string {
  return `${transactionHash} ${buyHash} ${sellHash}`.toLowerCase();
}

type MutableSums = { -readonly [K in keyof MarketSums]: MarketSums[K] };

function emptySums(marketId: MarketId): MutableSums {
  return { marketId, yesShares: 0n, noShares: 0n, collateral: 0n, bonds: 0n, trades: 0, unsettledTrades: 0 };
}

/** A trade moves existing shares; shares that the seller lacks are minted as pairs, from collateral. */
function addTrade(sums: MutableSums | undefined, trade: LedgerTrade): void {
  if (sums === undefined) return;
  sums.trades++;
  if (!isOnChain(trade)) {
    sums.unsettledTrades++;
    return;
  }
  const minted = BigInt(trade.settlement?.minted ?? 0);
  sums.yesShares += minted;
  sums.noShares += minted;
  sums.collateral += minted;
}

function addFact(sums: MutableSums | undefined, fact: ShareFact): void {
  if (sums === undefined) return;
  const [yes, no] = [BigInt(fact.yesShares), BigInt(fact.noShares)];
  if (fact.type === 'payout-redeemed') {
    sums.yesShares -= yes;
    sums.noShares -= no;
    sums.collateral -= BigInt(fact.payout);
    return;
  }
  sums.yesShares += yes;
  sums.noShares += no;
  // Splits and merges change pairs and collateral alike; a transfer is two facts with opposite signs.
  if (fact.cause === 'split' || fact.cause === 'merge') sums.collateral += yes;
}

/**
 * Subtracts the collateral that a conversion paid out. An event's collateral is one sum over its markets, so any of
 * them may carry it.
 */
function addFreed(sums: MutableSums | undefined, part: SharesMoved | undefined): void {
  if (sums !== undefined && part?.conversion !== undefined) sums.collateral -= BigInt(part.conversion.freed);
}

function toTrade(event: TradeMatched, seq: number): LedgerTrade {
  const { marketId, tradeId, price, size, makerHash, takerHash, takerSide } = event;
  const [buyHash, sellHash] = takerSide === BUY ? [takerHash, makerHash] : [makerHash, takerHash];
  const orders = { buyHash, sellHash, takerSide };
  return { seq, marketId, tradeId, ...orders, price, size, stage: 'matched', settlement: undefined };
}

function toTradeLine(trade: LedgerTrade): TradeLine {
  const { seq, marketId, tradeId, buyHash, sellHash, price, size, takerSide, stage, settlement } = trade;
  return ['trade', seq, marketId, tradeId, [buyHash, sellHash], [price, size, takerSide], stage, settlement ?? null];
}

function fromTradeLine(line: TradeLine): LedgerTrade {
  const [, seq, marketId, tradeId, [buyHash, sellHash], fill, stage, settlement] = line;
  const [price, size, takerSide] = fill;
  const orders = { buyHash, sellHash, takerSide };
  return { seq, marketId, tradeId, ...orders, price, size, stage, settlement: settlement ?? undefined };
}

/** A conversion is one log with a fact for each of its markets. */
function keyOf(fact: ShareFact): string {
  return `${logOf(fact)} ${fact.type} ${fact.marketId}`;
}

function logOf({ blockHash, txHash, logIndex, userAddress }: ShareFact): string {
  return `${blockHash} ${txHash} ${logIndex} ${userAddress}`;
}
