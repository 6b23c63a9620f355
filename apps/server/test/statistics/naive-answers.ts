// Whole answers of the statistics endpoints, made from the naive ledger.
import { type Address, type MarketId, toChecksumAddress } from '@presage/protocol';
import type { NaiveLedger, NaiveTrade } from './naive-ledger.ts';
import { roundedUp } from './naive-ledger.ts';

const ONE = 1_000_000n;
const DAY_MS = 86_400_000;

export class NaiveAnswers {
  readonly #ledger: NaiveLedger;
  readonly #nowMs: number;

  constructor(ledger: NaiveLedger, nowMs: number) {
    this.#ledger = ledger;
    this.#nowMs = nowMs;
  }

  stats(marketId: MarketId) {
    const trades = this.#ledger.standing(marketId);
    return {
      marketId,
      contractAddress: toChecksumAddress(this.#ledger.markets.get(marketId)!.contractAddress),
      volume24h: volumeOf(this.#ofLastDay(trades)),
      totalVolume: volumeOf(trades),
      lastPrice: trades.at(-1)?.event.price ?? 0,
    };
  }

  holders(marketId: MarketId) {
    const entries = this.#ledger
      .positionsIn(marketId)
      .map(
        ([
          wallet,
          {
            holdings: [yes, no],
          },
        ]) => ({ wallet, yes, no, size: yes.shares + no.shares }),
      )
      .filter(({ size }) => size > 0n)
      .sort((a, b) => (a.size === b.size ? (a.wallet < b.wallet ? -1 : 1) : a.size > b.size ? -1 : 1));
    const topHolders = entries.slice(0, 10).map(({ wallet, yes, no }) => ({
      userAddress: toChecksumAddress(wallet),
      yesShares: yes.shares,
      noShares: no.shares,
      totalInvested: yes.cost + no.cost,
    }));
    return { topHolders, totalHolders: entries.length };
  }

  activity(marketId: MarketId) {
    const activity = this.#ledger
      .standing(marketId)
      .reverse()
      .slice(0, 50)
      .map(({ id, event, cost, buyer, seller, stage, txHash }) => ({
        price: event.price,
        size: event.size,
        buyer: toChecksumAddress(buyer),
        seller: toChecksumAddress(seller),
        outcome: event.outcome,
        timestamp: Math.floor(event.timeMs / 1_000),
        txHash,
        id,
        tradeId: event.tradeId,
        marketId: event.marketId,
        side: event.takerSide,
        maker: toChecksumAddress(event.maker),
        taker: toChecksumAddress(event.taker),
        cost,
        status: statusOf(stage),
        stage,
        ...feesOf(event),
      }));
    return { marketId, activity, count: activity.length };
  }

  candles(marketId: MarketId, outcome: number, seconds: number) {
    const slots = new Map<number, NaiveTrade[]>();
    for (const trade of this.#ledger.standing(marketId).filter(({ event }) => event.outcome === outcome)) {
      const time = Math.floor(trade.event.timeMs / 1_000 / seconds) * seconds;
      slots.set(time, [...(slots.get(time) ?? []), trade]);
    }
    return [...slots].map(([time, trades]) => {
      const prices = trades.map(({ event }) => Number(event.price));
      const [open, close] = [prices[0], prices.at(-1)];
      return { time, open, high: Math.max(...prices), low: Math.min(...prices), close, volume: volumeOf(trades) };
    });
  }

  platform(chainId?: number) {
    const markets = [...this.#ledger.markets.values()].filter(
      (each) => chainId === undefined || each.chainId === chainId,
    );
    const chainIds = [...new Set(markets.map((each) => each.chainId))].sort((a, b) => a - b);
    const chains = chainIds.map((id) => {
      const ids = markets.filter((each) => each.chainId === id).map(({ marketId }) => marketId);
      const updatedMs = Math.max(...ids.map((each) => this.#ledger.updatedMs.get(each)!));
      return { chain_id: id, ...this.#totals(ids), updated_at: Math.floor(updatedMs / 1_000) };
    });
    return { chains, ...this.#totals(markets.map(({ marketId }) => marketId)) };
  }

  userActivity(wallet: Address, chainId: number, limit: number) {
    const mine = this.#ledger
      .standing()
      .filter(({ event }) => this.#ledger.markets.get(event.marketId)!.chainId === chainId)
      .filter(({ buyer, seller }) => buyer === wallet || seller === wallet);
    const activity = mine
      .reverse()
      .slice(0, limit)
      .map((trade) => this.#seenBy(wallet, trade));
    return { activity, settlements: [] };
  }

  userStats(wallet: Address) {
    const sum = { cost: 0n, invested: 0n, value: 0n, pnl: 0n, realized: 0n };
    for (const marketId of this.#ledger.markets.keys()) {
      const position = this.#ledger.position(wallet, marketId);
      if (position === undefined) continue;
      const {
        holdings: [yes, no],
        profit,
        soldCost,
      } = position;
      const invested = yes.cost + no.cost;
      const value =
        this.#ledger.worth(wallet, marketId, 0, yes.shares) + this.#ledger.worth(wallet, marketId, 1, no.shares);
      sum.cost += invested + soldCost;
      sum.invested += invested;
      sum.value += value;
      sum.pnl += profit + value - invested;
      sum.realized += profit;
    }
    return {
      user_address: toChecksumAddress(wallet),
      ...this.#traded(wallet, 0),
      total_cost: sum.cost,
      total_invested: sum.invested,
      position_value: sum.value,
      pnl: sum.pnl,
      realized_pnl: sum.realized,
      unrealized_pnl: sum.pnl - sum.realized,
      pnl_percentage: percentage(sum.pnl, sum.cost),
    };
  }

  /** docs/protocol.md, "Mint on sale", for shares reported by the chain. */
  reserved(wallet: Address, chainId: number, sharesOnChain: (marketId: MarketId, outcome: number) => bigint): bigint {
    let reserved = 0n;
    for (const { marketId } of [...this.#ledger.markets.values()].filter((each) => each.chainId === chainId)) {
      const free = [sharesOnChain(marketId, 0), sharesOnChain(marketId, 1)] as [bigint, bigint];
      reserved += this.#takenByFills(wallet, marketId, free) + this.#takenByOrders(wallet, marketId, free);
    }
    return reserved;
  }

  #traded(wallet: Address, sinceMs: number) {
    const own = this.#ledger
      .standing()
      .filter(({ event, buyer, seller }) => event.timeMs >= sinceMs && (buyer === wallet || seller === wallet));
    // A trade with oneself is no volume.
    const withOthers = own.filter(({ buyer, seller }) => buyer !== seller);
    return { volume: withOthers.reduce((sum, { cost }) => sum + cost, 0n), trade_count: own.length };
  }

  /** Everybody who traded since then, most volume or profit first. */
  leaders(wallets: readonly Address[], sinceMs: number, sort: 'volume' | 'pnl') {
    return wallets
      .map((wallet) => {
        const { volume, trade_count: tradeCount } = this.#traded(wallet, sinceMs);
        return { userAddress: toChecksumAddress(wallet), volume, tradeCount, pnl: this.userStats(wallet).pnl };
      })
      .filter(({ volume }) => volume > 0n)
      .sort((a, b) => (a[sort] < b[sort] ? 1 : -1))
      .map((leader, index) => ({ rank: index + 1, ...leader }));
  }

  /** What the trades that no block has yet change the wallet's balance by. */
  unsettled(wallet: Address, chainId: number, sharesOnChain: (marketId: MarketId, outcome: number) => bigint): bigint {
    let net = 0n;
    for (const { marketId } of [...this.#ledger.markets.values()].filter((each) => each.chainId === chainId)) {
      const held = [sharesOnChain(marketId, 0), sharesOnChain(marketId, 1)];
      for (const { event, cost, buyer, seller, stage } of this.#ledger.standing(marketId)) {
        if (stage === 'mined' || stage === 'confirmed') continue;
        const [mine, other] = event.outcome === 0 ? [0, 1] : [1, 0];
        if (seller === wallet) {
          held[mine]! -= BigInt(event.size);
          net += cost + creditOf(event, 1);
          // What was not there is paid for, and its other side is kept.
          if (held[mine]! < 0n) {
            net += held[mine]!;
            held[other]! -= held[mine]!;
            held[mine] = 0n;
          }
        }
        if (buyer === wallet) {
          held[mine]! += BigInt(event.size);
          net += creditOf(event, 0) - cost;
        }
      }
    }
    return net;
  }

  #takenByFills(wallet: Address, marketId: MarketId, free: [bigint, bigint]): bigint {
    let taken = 0n;
    for (const { event, cost, buyer, seller, stage } of this.#ledger.standing(marketId)) {
      if (stage === 'mined' || stage === 'confirmed') continue;
      const [size, other] = [BigInt(event.size), event.outcome === 0 ? 1 : 0] as const;
      if (seller === wallet) {
        const minted = size > free[event.outcome] ? size - free[event.outcome] : 0n;
        free[event.outcome] -= size - minted;
        free[other] += minted;
        const due = minted + (event.takerSide === 1 ? BigInt(event.fee ?? 0) : 0n);
        taken += due > cost ? due - cost : 0n;
      }
      if (buyer === wallet) {
        free[event.outcome] += size;
        taken += cost + (event.takerSide === 0 ? BigInt(event.fee ?? 0) : 0n);
      }
    }
    return taken;
  }

  #takenByOrders(wallet: Address, marketId: MarketId, free: [bigint, bigint]): bigint {
    let taken = 0n;
    for (const { order, remaining } of this.#ledger.orders.values()) {
      if (remaining === 0n || order.trader !== wallet || order.marketId !== marketId) continue;
      if (order.side === 0) {
        // Every fill that it is cut into may round up by one unit, its fee too: a thousand of them are allowed for.
        const rounds = (this.#ledger.markets.get(marketId)!.feeRateBps ?? 0) === 0 ? 1n : 2n;
        taken +=
          roundedUp(order.price, remaining) + this.#ledger.feeOf(marketId, order.price, remaining) + rounds * 1_000n;
        continue;
      }
      const missing = remaining > free[order.outcome] ? remaining - free[order.outcome] : 0n;
      free[order.outcome] -= remaining - missing;
      taken += missing - (BigInt(order.price) * missing) / ONE + this.#ledger.feeOf(marketId, order.price, missing);
    }
    return taken;
  }

  #totals(marketIds: readonly MarketId[]) {
    const trades = marketIds.flatMap((marketId) => this.#ledger.standing(marketId));
    return {
      total_volume: volumeOf(trades),
      total_trades: trades.length,
      total_markets: marketIds.length,
      active_markets: marketIds.filter((marketId) => this.#isOpen(marketId)).length,
      open_interest: marketIds.reduce((total, marketId) => total + this.#pairsOf(marketId), 0n),
      volume_24h: volumeOf(this.#ofLastDay(trades)),
    };
  }

  #isOpen(marketId: MarketId): boolean {
    return !this.#ledger.closed.has(marketId) && this.#ledger.markets.get(marketId)!.expiration * 1_000 > this.#nowMs;
  }

  #pairsOf(marketId: MarketId): bigint {
    let [yes, no] = [0n, 0n];
    for (const [, { holdings }] of this.#ledger.positionsIn(marketId)) {
      yes += holdings[0].shares - holdings[0].owed;
      no += holdings[1].shares - holdings[1].owed;
    }
    return yes > no ? yes : no;
  }

  #seenBy(wallet: Address, { id, event, cost, stage, txHash }: NaiveTrade) {
    const isTaker = event.taker === wallet;
    const market = this.#ledger.markets.get(event.marketId)!;
    return {
      id,
      tradeId: event.tradeId,
      type: 'TRADE',
      marketId: event.marketId,
      marketQuestion: market.question,
      contractAddress: toChecksumAddress(market.contractAddress),
      side: isTaker ? event.takerSide : 1 - event.takerSide,
      outcome: event.outcome,
      role: isTaker ? 'taker' : 'maker',
      price: event.price,
      size: event.size,
      cost,
      counterparty: toChecksumAddress(isTaker ? event.maker : event.taker),
      timestamp: Math.floor(event.timeMs / 1_000),
      txHash,
      status: statusOf(stage),
      ...feesOf(event),
    };
  }

  #ofLastDay(trades: readonly NaiveTrade[]): NaiveTrade[] {
    return trades.filter(({ event }) => event.timeMs > this.#nowMs - DAY_MS);
  }
}

/** Nothing but a fee of 0 is said where nothing was charged. */
function feesOf({ taker, fee, makerRebate = 0 }: NaiveTrade['event']) {
  return fee === undefined ? { fee: 0 } : { fee, makerRebate, feePayer: toChecksumAddress(taker) };
}

/** Below 0 for the taker of the trade. */
function creditOf({ takerSide, fee = 0, makerRebate = 0 }: NaiveTrade['event'], side: number): bigint {
  return BigInt(takerSide === side ? -fee : makerRebate);
}

function volumeOf(trades: readonly NaiveTrade[]): bigint {
  return trades.reduce((total, { cost }) => total + cost, 0n);
}

function statusOf(stage: string): string {
  return stage === 'confirmed' ? 'confirmed' : 'pending';
}

/** By hand: digits of the quotient, then the point four places from their end. */
function percentage(part: bigint, whole: bigint): number {
  if (whole === 0n) return 0;
  const digits = (((part < 0n ? -part : part) * 1_000_000n) / whole).toString().padStart(5, '0');
  const size = Number(`${digits.slice(0, -4)}.${digits.slice(-4)}`);
  return part < 0n ? -size : size;
}
