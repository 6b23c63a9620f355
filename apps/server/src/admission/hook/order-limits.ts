// Checks an operator's limits of a wallet: open orders, position and daily volume, over all markets and in each.
import type { OrderView } from '@presage/engine';
import {
  type Address,
  BUY,
  costOf,
  DAY_MS,
  type Fault,
  type MarketId,
  type SignedOrder,
  toSize,
} from '@presage/protocol';
import { LIMIT_NAMES, type Limits, type WalletLimits } from './verdict.ts';

interface LimitReads {
  openOrders(filter: { readonly trader: Address }): readonly OrderView[];
}

export interface LimitViews {
  /** Value that the wallet has traded since `sinceMs`, by market. */
  sumTraded(
    wallet: Address,
    sinceMs: number,
  ): Promise<readonly { readonly marketId: MarketId; readonly cost: bigint }[]>;
  listPositions(wallet: Address, chainId: number): Promise<readonly HeldPosition[]>;
}

interface HeldPosition {
  readonly marketId: MarketId;
  readonly yesShares: bigint;
  readonly noShares: bigint;
}

export interface OrderLimitsOptions {
  readonly reads: LimitReads;
  readonly views: LimitViews;
  readonly nowMs: () => number;
}

/** A wallet's stake in one market. */
interface Stake {
  orders: bigint;
  /** YES shares less NO shares. */
  net: bigint;
  /** Shares that open orders would add to the YES side and to the NO side. */
  towardsYes: bigint;
  towardsNo: bigint;
  volume: bigint;
}

type Figures = Readonly<Record<(typeof LIMIT_NAMES)[number], bigint>>;

export class OrderLimits {
  readonly #options: OrderLimitsOptions;
  /** Orders being checked, or passed and not yet placed, in arrival order. */
  readonly #inFlight = new Map<Address, Set<SignedOrder>>();

  constructor(options: OrderLimitsOptions) {
    this.#options = options;
  }

  /** Checks an order; one that passes counts towards the limits until it is released. */
  async check(signed: SignedOrder, chainId: number, limits: WalletLimits): Promise<Fault | undefined> {
    const { trader } = signed.order;
    // Only earlier orders count: of two orders at the same time, the first passes.
    const earlier = [...(this.#inFlight.get(trader) ?? [])];
    this.#hold(signed);
    try {
      const fault = await this.#findFault(signed, earlier, chainId, limits);
      if (fault !== undefined) this.release(signed);
      return fault;
    } catch (error) {
      this.release(signed);
      throw error;
    }
  }

  /** Stops counting an order; called once it is placed or refused. */
  release(signed: SignedOrder): void {
    const { trader } = signed.order;
    const held = this.#inFlight.get(trader);
    held?.delete(signed);
    if (held?.size === 0) this.#inFlight.delete(trader);
  }

  #hold(signed: SignedOrder): void {
    const { trader } = signed.order;
    this.#inFlight.set(trader, (this.#inFlight.get(trader) ?? new Set()).add(signed));
  }

  async #findFault(
    signed: SignedOrder,
    earlier: readonly SignedOrder[],
    chainId: number,
    limits: WalletLimits,
  ): Promise<Fault | undefined> {
    const stakes = await this.#readStakes(signed.order.trader, chainId, limits);
    const open = this.#options.reads.openOrders({ trader: signed.order.trader });
    const known = new Set(open.map((order) => order.signed.orderHash));
    // The same order was sent twice at once: the host answers with the first answer.
    if ([...known, ...earlier.map(({ orderHash }) => orderHash)].includes(signed.orderHash)) return undefined;
    for (const order of open) addOrder(stakes, order.signed, toSize(order.remainingSize));
    for (const order of earlier) if (!known.has(order.orderHash)) addOrder(stakes, order, order.order.size);
    const before = { market: toFigures([stakeOf(stakes, signed.order.marketId)]), wallet: toFigures(stakes.values()) };
    addOrder(stakes, signed, signed.order.size);
    const after = { market: toFigures([stakeOf(stakes, signed.order.marketId)]), wallet: toFigures(stakes.values()) };
    return (
      exceeded(limits.market, before.market, after.market, 'in this market') ??
      exceeded(limits, before.wallet, after.wallet, 'over all markets')
    );
  }

  /** Reads the wallet's stakes; queries the database only for figures that are limited. */
  async #readStakes(wallet: Address, chainId: number, limits: WalletLimits): Promise<Map<MarketId, Stake>> {
    const { views, nowMs } = this.#options;
    const isLimited = (name: keyof Limits) => limits[name] !== undefined || limits.market?.[name] !== undefined;
    const [traded, positions] = await Promise.all([
      isLimited('dailyVolume') ? views.sumTraded(wallet, nowMs() - DAY_MS) : [],
      isLimited('position') ? views.listPositions(wallet, chainId) : [],
    ]);
    const stakes = new Map<MarketId, Stake>();
    for (const { marketId, cost } of traded) stakeOf(stakes, marketId).volume += cost;
    for (const { marketId, yesShares, noShares } of positions) stakeOf(stakes, marketId).net += yesShares - noShares;
    return stakes;
  }
}

function stakeOf(stakes: Map<MarketId, Stake>, marketId: MarketId): Stake {
  const stake = stakes.get(marketId) ?? { orders: 0n, net: 0n, towardsYes: 0n, towardsNo: 0n, volume: 0n };
  stakes.set(marketId, stake);
  return stake;
}

/** Adds an order. A sale counts towards the other outcome: shares that the seller lacks are minted. */
function addOrder(stakes: Map<MarketId, Stake>, { order }: SignedOrder, size: SignedOrder['order']['size']): void {
  const stake = stakeOf(stakes, order.marketId);
  stake.orders += 1n;
  stake.volume += BigInt(costOf(order.price, size));
  const isTowardsYes = (order.outcome === 0) === (order.side === BUY);
  if (isTowardsYes) stake.towardsYes += BigInt(size);
  else stake.towardsNo += BigInt(size);
}

function toFigures(stakes: Iterable<Stake>): Figures {
  const sum = { openOrders: 0n, position: 0n, dailyVolume: 0n };
  for (const { orders, net, towardsYes, towardsNo, volume } of stakes) {
    sum.openOrders += orders;
    sum.dailyVolume += volume;
    sum.position += largest(net + towardsYes, towardsNo - net);
  }
  return sum;
}

/** Worst-case position: the larger of the two sides, whichever orders fill. */
function largest(yes: bigint, no: bigint): bigint {
  return yes > no ? yes : no;
}

const WORDS = {
  openOrders: 'open orders',
  position: 'millionths of a share at stake',
  dailyVolume: 'millionths traded and offered in a day',
};

/** Finds an exceeded limit. An order that lowers a figure passes even above its limit: a wallet must always be able to reduce. */
function exceeded(limits: Limits | undefined, before: Figures, after: Figures, where: string): Fault | undefined {
  for (const limit of LIMIT_NAMES) {
    const maximum = limits?.[limit];
    if (maximum === undefined || after[limit] <= maximum || after[limit] <= before[limit]) continue;
    const reason = `at most ${maximum} ${WORDS[limit]} ${where}`;
    return { code: 'not_admitted', details: { reason, limit, maximum, current: before[limit] } };
  }
  return undefined;
}
