// A wallet's holdings at what they are worth now: the view's, marked at the best prices of the books.
import type { Address } from '@presage/protocol';
import type { ValuedHolding } from '../projections/users/standing.ts';
import { bestPricesOf } from './mappers/market.ts';
import type { ApiServices } from './services.ts';

export function listValuedHoldings(
  { views, reads }: Pick<ApiServices, 'views' | 'reads'>,
  wallet: Address,
  chainId?: number,
): Promise<ValuedHolding[]> {
  return views.holdings({ wallet, chainId, bestOf: (marketId) => bestPricesOf(reads, marketId) });
}
