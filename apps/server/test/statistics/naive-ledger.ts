// What every answer must say, computed from the raw list of events with big integers and nothing clever: written to be believed.
import type { Address, EngineEvent, MarketFacts, MarketId, Order, TradeMatched } from '@presage/protocol';

const ONE = 1_000_000n;

export interface NaiveTrade {
  readonly id: number;
  readonly event: TradeMatched;
  readonly cost: bigint;
  readonly buyer: Address;
  readonly seller: Address;
  stage: string;
  txHash: string;
  minted: bigint | undefined;
}

interface OutcomeHolding {
  shares: bigint;
  /** Shares that the chain says were sold, and that have not come yet. */
  owed: bigint;
  cost: bigint;
  revenue: bigint;
}

export interface NaivePosition {
  readonly holdings: [yes: OutcomeHolding, no: OutcomeHolding];
  profit: bigint;
  /** What the shares that were sold had cost. */
  soldCost: bigint;
}

export interface NaiveOrder {
  readonly order: Order;
  remaining: bigint;
}

export class NaiveLedger {
  readonly markets = new Map<MarketId, MarketFacts>();
  readonly closed = new Set<MarketId>();
  readonly updatedMs = new Map<MarketId, number>();
  readonly trades: NaiveTrade[] = [];
  readonly orders = new Map<string, NaiveOrder>();
  readonly #byId = new Map<string, NaiveTrade>();

  constructor(events: readonly EngineEvent[]) {
    // The fixture journals nothing but events: the place of each is its number.
    for (const [index, event] of events.entries()) {
      this.updatedMs.set(event.marketId, event.timeMs);
      this.#apply(event, index + 1);
    }
  }

  /** Oldest first, without those that failed. */
  standing(marketId?: MarketId): NaiveTrade[] {
    return this.trades.filter(
      ({ event, stage }) => stage !== 'failed' && (marketId === undefined || event.marketId === marketId),
    );
  }

  lastYesPrice(marketId: MarketId): bigint | undefined {
    const last = this.standing(marketId).at(-1)?.event;
    if (last === undefined) return undefined;
    return last.outcome === 0 ? BigInt(last.price) : ONE - BigInt(last.price);
  }

  /** Best offers for YES, those for NO counted at 1 - p; undefined where nobody offers. */
  bestYes(marketId: MarketId): { bid: bigint | undefined; ask: bigint | undefined } {
    const [bids, asks]: [bigint[], bigint[]] = [[], []];
    for (const { order, remaining } of this.orders.values()) {
      if (remaining === 0n || order.marketId !== marketId) continue;
      const price = order.outcome === 0 ? BigInt(order.price) : ONE - BigInt(order.price);
      (order.side === order.outcome ? bids : asks).push(price);
    }
    const pick = (prices: bigint[], isBetter: (a: bigint, b: bigint) => boolean) =>
      prices.reduce<bigint | undefined>(
        (best, price) => (best === undefined || isBetter(price, best) ? price : best),
        undefined,
      );
    return { bid: pick(bids, (a, b) => a > b), ask: pick(asks, (a, b) => a < b) };
  }

  /** What the bids of others pay for shares, each bid by itself; the last trade where nobody else bids. */
  worth(wallet: Address, marketId: MarketId, outcome: number, shares: bigint): bigint {
    const bids = [...this.orders.values()].filter(
      ({ order, remaining }) =>
        remaining > 0n &&
        order.marketId === marketId &&
        order.side === 0 &&
        order.outcome === outcome &&
        order.trader !== wallet,
    );
    const yesPrice = this.lastYesPrice(marketId) ?? 0n;
    if (bids.length === 0) return (shares * (outcome === 0 ? yesPrice : ONE - yesPrice)) / ONE;
    let [left, paid] = [shares, 0n];
    const parts = new Map<number, bigint>();
    for (const { order, remaining } of bids.sort((a, b) => Number(b.order.price) - Number(a.order.price))) {
      const part = remaining < left ? remaining : left;
      paid += part * BigInt(order.price);
      parts.set(order.price, (parts.get(order.price) ?? 0n) + part);
      left -= part;
    }
    let value = paid / ONE;
    for (const [price, part] of parts) value -= this.feeOf(marketId, price, part);
    return value > 0n ? value : 0n;
  }

  /** The fee of a fill in a market, rounded up. */
  feeOf(marketId: MarketId, price: number, size: bigint): bigint {
    const product = BigInt(this.markets.get(marketId)!.feeRateBps ?? 0) * size * BigInt(price) * (ONE - BigInt(price));
    return product % 10n ** 16n === 0n ? product / 10n ** 16n : product / 10n ** 16n + 1n;
  }

  /** The middle of offers within 10 cents, else the last trade, else nothing. */
  chance(marketId: MarketId): bigint | null {
    const { bid, ask } = this.bestYes(marketId);
    const [low, high] = bid !== undefined && ask !== undefined && bid > ask ? [ask, bid] : [bid, ask];
    if (low !== undefined && high !== undefined && high - low <= 100_000n) return (low + high) / 2n;
    return this.lastYesPrice(marketId) ?? null;
  }

  /** Undefined when the wallet has no trade there that stands. */
  position(wallet: Address, marketId: MarketId): NaivePosition | undefined {
    const mine = this.standing(marketId).filter(({ buyer, seller }) => buyer === wallet || seller === wallet);
    if (mine.length === 0) return undefined;
    const empty = (): OutcomeHolding => ({ shares: 0n, owed: 0n, cost: 0n, revenue: 0n });
    const position: NaivePosition = { holdings: [empty(), empty()], profit: 0n, soldCost: 0n };
    for (const trade of mine) {
      if (trade.seller === wallet) sell(position, trade);
      if (trade.buyer === wallet) buy(position, trade);
      if (trade.event.maker === wallet) giveBack(position, trade);
    }
    return position;
  }

  /** The positions of every wallet that ever traded there. */
  positionsIn(marketId: MarketId): [Address, NaivePosition][] {
    const wallets = new Set(this.standing(marketId).flatMap(({ buyer, seller }) => [buyer, seller]));
    return [...wallets].map((wallet) => [wallet, this.position(wallet, marketId)!]);
  }

  #apply(event: EngineEvent, seq: number): void {
    switch (event.type) {
      case 'market-listed':
        this.markets.set(event.marketId, event.market);
        return;
      case 'market-closed':
        this.closed.add(event.marketId);
        return;
      case 'order-accepted':
        this.orders.set(event.orderHash, { order: event.order, remaining: BigInt(event.order.size) });
        return;
      case 'order-cancelled':
        this.orders.get(event.orderHash)!.remaining = 0n;
        return;
      case 'order-restored':
        this.orders.get(event.orderHash)!.remaining += BigInt(event.size);
        return;
      case 'trade-matched':
        this.#match(event, seq);
        return;
      case 'trade-moved':
      case 'trade-failed':
        this.#move(event);
    }
  }

  #match(event: TradeMatched, id: number): void {
    const [buyer, seller] = event.takerSide === 0 ? [event.taker, event.maker] : [event.maker, event.taker];
    const cost = roundedUp(event.price, BigInt(event.size));
    const trade: NaiveTrade = { id, event, cost, buyer, seller, stage: 'matched', txHash: '', minted: undefined };
    this.trades.push(trade);
    this.#byId.set(event.tradeId, trade);
    for (const hash of [event.makerHash, event.takerHash]) this.orders.get(hash)!.remaining -= BigInt(event.size);
  }

  #move(event: Extract<EngineEvent, { type: 'trade-moved' | 'trade-failed' }>): void {
    const trade = this.#byId.get(event.tradeId)!;
    trade.stage = event.type === 'trade-failed' ? 'failed' : event.stage;
    if (event.settlement !== undefined) trade.txHash = event.settlement.transactionHash;
    const isOnChain = trade.stage === 'mined' || trade.stage === 'confirmed';
    if (!isOnChain) trade.minted = undefined;
    else if (event.settlement?.minted !== undefined) trade.minted = BigInt(event.settlement.minted);
  }
}

export function roundedUp(price: number, size: bigint): bigint {
  const product = BigInt(price) * size;
  return product % ONE === 0n ? product / ONE : product / ONE + 1n;
}

function buy(position: NaivePosition, { event, cost }: NaiveTrade): void {
  receive(position, event.outcome, BigInt(event.size), cost + feeOn(event, 0));
}

/** What the trade cost the wallet on this side of it, beside the price. */
function feeOn({ takerSide, fee = 0 }: TradeMatched, side: number): bigint {
  return takerSide === side ? BigInt(fee) : 0n;
}

/** A part of the fee is the maker's at once. */
function giveBack(position: NaivePosition, { event: { outcome, makerRebate = 0 } }: NaiveTrade): void {
  position.holdings[outcome].revenue += BigInt(makerRebate);
  position.profit += BigInt(makerRebate);
}

/** docs/protocol.md, "Positions": shares held go first and take their cost along; the rest is minted, and its complement is kept. */
function sell(position: NaivePosition, { event, cost, minted }: NaiveTrade): void {
  const size = BigInt(event.size);
  const holding = position.holdings[event.outcome];
  const held = holding.shares < size ? holding.shares : size;
  const made = minted ?? size - held;
  const madeProceeds = roundedUp(event.price, made);
  const former = holding.cost;
  const gone = size - made < holding.shares ? size - made : holding.shares;
  remove(holding, gone);
  holding.owed += size - made - gone;
  const fee = feeOn(event, 1);
  const madeFee = (fee * made + size - 1n) / size;
  const brought = cost - madeProceeds - (fee - madeFee);
  holding.revenue += brought;
  position.soldCost += former - holding.cost;
  position.profit += brought - (former - holding.cost);
  receive(position, event.outcome === 0 ? 1 : 0, made, made - madeProceeds + madeFee);
}

/** What was sold before it came goes at once, with what it cost. */
function receive(position: NaivePosition, outcome: 0 | 1, shares: bigint, cost: bigint): void {
  if (shares === 0n) return;
  const holding = position.holdings[outcome];
  const due = holding.owed < shares ? holding.owed : shares;
  const dueCost = (cost * due) / shares;
  holding.owed -= due;
  holding.shares += shares - due;
  holding.cost += cost - dueCost;
  position.soldCost += dueCost;
  position.profit -= dueCost;
}

function remove(holding: OutcomeHolding, shares: bigint): void {
  if (shares === 0n) return;
  if (shares === holding.shares) {
    holding.shares = 0n;
    holding.cost = 0n;
    return;
  }
  holding.cost -= (holding.cost * shares) / holding.shares;
  holding.shares -= shares;
}
