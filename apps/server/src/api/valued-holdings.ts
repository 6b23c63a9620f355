// A wallet's holdings at what they are worth now, and its profit apart into what is certain and what is not.
import type { Address } from '@presage/protocol';
import type { ValuedHolding } from '../projections/users/valued-holding.ts';
import { bestPricesOf } from './mappers/market.ts';
import type { ApiServices } from './services.ts';

export interface UserStanding {
  /** Cost of the shares held. */
  readonly invested: bigint;
  /** Cost of the shares that were sold, merged or redeemed: what they brought, less the profit on them. */
  readonly soldCost: bigint;
  readonly value: bigint;
  /** Sold, merged or redeemed, and all of a decided market: a lost share stays lost, no matter who holds it. */
  readonly realizedPnl: bigint;
  readonly unrealizedPnl: bigint;
}

/** The view's, marked at the best prices of the books. */
export function listValuedHoldings(
  { views, reads }: Pick<ApiServices, 'views' | 'reads'>,
  wallet: Address,
  chainId?: number,
): Promise<ValuedHolding[]> {
  return views.listHoldings({ wallet, chainId, bestOf: (marketId) => bestPricesOf(reads, marketId) });
}

export function sumStanding(holdings: readonly ValuedHolding[]): UserStanding {
  let [invested, soldCost, value, realizedPnl, unrealizedPnl] = [0n, 0n, 0n, 0n, 0n];
  for (const each of holdings) {
    const certain = each.payouts === undefined ? each.realizedPnl : each.pnl;
    invested += each.yesCost + each.noCost;
    soldCost += each.revenue - each.realizedPnl;
    value += each.value;
    realizedPnl += certain;
    unrealizedPnl += each.pnl - certain;
  }
  return { invested, soldCost, value, realizedPnl, unrealizedPnl };
}
