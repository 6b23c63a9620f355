// What the journal adds up to for each market: shares outstanding, the collateral behind them, and bonds.
import {
  BUY,
  type EngineEvent,
  type JournalRecord,
  type MarketId,
  type MarketResolution,
  type OrderHash,
  type PayoutRedeemed,
  type SharesMoved,
  type TradeMatched,
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
  stage: TradeStage;
  settlement: TradeSettlement | undefined;
}

/** Millionths. */
export interface MarketSums {
  readonly marketId: MarketId;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  /** What was paid in for pairs, less what was paid out. */
  readonly collateral: bigint;
  /** Of proposals that are not settled. */
  readonly bonds: bigint;
  readonly trades: number;
  readonly unsettledTrades: number;
}

type ShareFact = SharesMoved | PayoutRedeemed;

export class Ledger {
  readonly #trades = new Map<string, LedgerTrade>();
  readonly #resolutions = new Map<MarketId, MarketResolution>();
  readonly #markets: MarketId[] = [];
  /** By block, for the reorganizations that take them back; a log is one fact, however often it is reported. */
  readonly #facts = new Map<string, ShareFact>();
  #failed = 0;

  /** In the order they were matched; failed ones are gone. */
  get trades(): Iterable<LedgerTrade> {
    return this.#trades.values();
  }

  get failedTrades(): number {
    return this.#failed;
  }

  get markets(): readonly MarketId[] {
    return this.#markets;
  }

  apply(record: JournalRecord, seq: number): void {
    switch (record.type) {
      case 'market-listed':
        this.#markets.push(record.marketId);
        break;
      case 'trade-matched':
        this.#trades.set(keyOf(record), toTrade(record, seq));
        break;
      case 'trade-moved':
        this.#move(record);
        break;
      case 'trade-failed':
        if (this.#trades.delete(keyOf(record))) this.#failed++;
        break;
      case 'resolution-changed':
        this.#resolutions.set(record.marketId, record.resolution);
        break;
      case 'shares-moved':
      case 'payout-redeemed':
        this.#facts.set(
          `${record.blockHash} ${record.txHash} ${record.logIndex} ${record.userAddress} ${record.type}`,
          record,
        );
        break;
      case 'chain-rewound':
        for (const [key, { blockNumber }] of this.#facts) if (blockNumber > record.toBlock) this.#facts.delete(key);
        break;
    }
  }

  sums(): MarketSums[] {
    const sums = new Map(this.#markets.map((marketId) => [marketId, emptySums(marketId)]));
    for (const trade of this.#trades.values()) addTrade(sums.get(trade.marketId), trade);
    for (const fact of this.#facts.values()) addFact(sums.get(fact.marketId), fact);
    for (const [marketId, { assertion }] of this.#resolutions) {
      const market = sums.get(marketId);
      if (market === undefined || assertion === undefined || assertion.settled) continue;
      market.bonds += BigInt(assertion.bondAmount) * (assertion.disputed ? 2n : 1n);
    }
    return [...sums.values()];
  }

  payoutsOf(marketId: MarketId): readonly [yes: number, no: number] | undefined {
    return this.#resolutions.get(marketId)?.payouts;
  }

  #move(event: Extract<EngineEvent, { type: 'trade-moved' }>): void {
    const trade = this.#trades.get(keyOf(event));
    if (trade === undefined) return;
    trade.stage = event.stage;
    if (event.settlement !== undefined) trade.settlement = event.settlement;
  }
}

export function isOnChain({ stage }: LedgerTrade): boolean {
  return stage === 'mined' || stage === 'confirmed';
}

/** A trade as the chain names it. */
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

/** A trade moves shares that there are; what the seller lacks is made as pairs, from collateral. */
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
  // Splits and merges change pairs and collateral alike; a transfer is the same shares twice, with opposite signs.
  if (fact.cause !== 'transfer') sums.collateral += yes;
}

function toTrade(event: TradeMatched, seq: number): LedgerTrade {
  const { marketId, tradeId, price, size, makerHash, takerHash, takerSide } = event;
  const [buyHash, sellHash] = takerSide === BUY ? [takerHash, makerHash] : [makerHash, takerHash];
  return { seq, marketId, tradeId, buyHash, sellHash, price, size, stage: 'matched', settlement: undefined };
}

function keyOf({ marketId, tradeId }: { readonly marketId: MarketId; readonly tradeId: string }): string {
  return `${marketId} ${tradeId}`;
}
