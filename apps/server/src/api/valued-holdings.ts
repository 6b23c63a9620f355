// A wallet's holdings at what they are worth now: rows of the view, marked at the best prices of the books.
import type { Address } from '@presage/protocol';
import { type ValuedHolding, valueHolding } from '../projections/users/standing.ts';
import { bestPricesOf } from './mappers/market.ts';
import type { ApiServices } from './services.ts';

export async function listValuedHoldings(
  { views, reads }: Pick<ApiServices, 'views' | 'reads'>,
  wallet: Address,
  chainId?: number,
): Promise<ValuedHolding[]> {
  const rows = await views.holdings(wallet, chainId);
  return rows.map((row) => valueHolding(row, bestPricesOf(reads, row.marketId)));
}
