// The same verdicts in the simplest way: orders are removed one by one, and everything is computed anew each time.
import type { MarketFunds, Means, RankedOrder } from '../../src/wallets/cover.ts';

type Funds = MarketFunds<RankedOrder>;

const ONE = 1_000_000n;
const SLACK = 1_000n;

/** What an order that takes would be charged at its limit, and the room for rounding where it is. */
function naiveFee({ feeRateBps = 0, price }: RankedOrder, size: bigint): bigint {
  const product = BigInt(feeRateBps) * size * BigInt(price) * (ONE - BigInt(price));
  return (product + 10n ** 16n - 1n) / 10n ** 16n;
}

function slackOf({ feeRateBps = 0 }: RankedOrder): bigint {
  return feeRateBps > 0 ? 2n * SLACK : SLACK;
}

interface Taken {
  readonly money: bigint;
  /** Held shares that would have to be moved without leave. */
  readonly stuck: boolean;
}

/** Takes the newest order that lessens what is missing, until nothing is. */
export function naiveUncovered(markets: readonly Funds[], means: Means): RankedOrder[] {
  const gone: RankedOrder[] = [];
  for (;;) {
    const left = markets.map((market) => ({
      ...market,
      orders: market.orders.filter((order) => !gone.includes(order)),
    }));
    const standing = left.flatMap(({ orders }) => orders).sort((a, b) => b.sequence - a.sequence);
    const takenOf = (order: RankedOrder) => naiveTaken(left.find(({ orders }) => orders.includes(order))!, order);
    const stuck = means.sharesApproved ? undefined : standing.find((order) => takenOf(order).stuck);
    const reserve = naiveReserve(left);
    const buys = standing.filter(({ side }) => side === 0);
    const headroom = buys.reduce((sum, order) => sum + slackOf(order), 0n);
    const toCome = left.reduce((sum, market) => sum + naiveFills(market).income, 0n);
    const isWalletShort = reserve > means.balance + toCome || reserve - headroom > means.allowance;
    const isShort = isWalletShort && reserve > (means.deposited > 0n ? means.deposited + toCome : 0n);
    const short = isShort ? standing.find((order) => takenOf(order).money > 0n) : undefined;
    const next = stuck ?? short;
    if (next === undefined) return gone.sort((a, b) => b.sequence - a.sequence);
    gone.push(next);
  }
}

export function naiveReserve(markets: readonly Funds[]): bigint {
  return markets.reduce((sum, market) => {
    return market.orders.reduce((all, order) => all + naiveTaken(market, order).money, sum + naiveFills(market).money);
  }, 0n);
}

/** The cover of one order, given the fills and every older order. */
function naiveTaken(market: Funds, order: RankedOrder): Taken {
  const { free } = naiveFills(market);
  for (const older of market.orders) {
    const [size, held] = [BigInt(older.remainingSize), free[older.outcome]];
    const used = older.side === 0 || held < 0n ? 0n : held < size ? held : size;
    const missing = older.side === 0 ? 0n : size - used;
    if (older === order) {
      const sale = missing - (BigInt(order.price) * missing) / ONE + naiveFee(order, missing);
      const purchase = (BigInt(order.price) * size + ONE - 1n) / ONE + naiveFee(order, size) + slackOf(order);
      return { money: order.side === 0 ? purchase : sale, stuck: used > 0n };
    }
    free[older.outcome] -= used;
  }
  throw new Error('the order is not of this market');
}

/** `income` is what the fills bring, on top of paying for what they take. */
function naiveFills({ wallet, fills, shares }: Funds): { money: bigint; income: bigint; free: [bigint, bigint] } {
  const held = (outcome: number) => [...shares].find(([key]) => key.endsWith(`/${outcome}`))?.[1] ?? 0n;
  const free: [bigint, bigint] = [held(0), held(1)];
  let [money, income] = [0n, 0n];
  for (const { outcome, price, size, buyer, seller, takerSide, fee = 0, makerRebate = 0 } of fills) {
    const cost = (BigInt(price) * BigInt(size) + ONE - 1n) / ONE;
    if (seller === wallet) {
      const minted = BigInt(size) > free[outcome] ? BigInt(size) - free[outcome] : 0n;
      free[outcome] -= BigInt(size) - minted;
      free[outcome === 0 ? 1 : 0] += minted;
      const due = minted + (takerSide === 1 ? BigInt(fee) : 0n);
      if (due > cost) money += due - cost;
      else income += cost - due;
      if (takerSide === 0) income += BigInt(makerRebate);
    }
    if (buyer === wallet) {
      free[outcome] += BigInt(size);
      money += cost + (takerSide === 0 ? BigInt(fee) : 0n);
      if (takerSide === 1) income += BigInt(makerRebate);
    }
  }
  return { money, income, free };
}
