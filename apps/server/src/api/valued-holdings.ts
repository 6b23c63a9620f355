// A wallet's holdings at what they are worth now, and its profit apart into what is certain and what is not.
import type { Address } from '@presage/protocol';
import type { ValuedHolding } from '../projections/users/valued-holding.ts';
import { bestPricesOf } from './mappers/market.ts';
import type { ApiServices } from './services.ts';

export interface UserStanding {
  /** Cost of the shares held. */
  readonly invested: bigint;
  /** Cost of the shares that were sold, merged or redeemed: their proceeds less the profit. */
  readonly soldCost: bigint;
  readonly value: bigint;
  /** Profit on shares that were sold, merged or redeemed, and on all shares of a decided market. */
  readonly realizedPnl: bigint;
  readonly unrealizedPnl: bigint;
}

/** Holdings of the view, valued at the best prices of the books. */
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
