// The taker's fee of a fill. It is not stored, since it follows from the market's facts and the fill.
import { type FillFees, fillFees, type Price, type Size } from '@presage/protocol/engine-types';
import type { MarketRecord } from './records.ts';

/** Price and size must be a trade's. */
export function feesOf({ facts }: Pick<MarketRecord, 'facts'>, price: number, size: number): FillFees {
  return fillFees(facts, size as Size, price as Price);
}

/** A journal with other fees was written by another program or tampered with: throwing is better than following it. */
export function assertFees(market: MarketRecord, price: number, size: number, { fee, makerRebate }: FillFees): void {
  const expected = feesOf(market, price, size);
  if (fee === expected.fee && makerRebate === expected.makerRebate) return;
  throw new Error(
    `a trade of ${market.id} charges ${fee ?? 0} and gives back ${makerRebate ?? 0}, where the market's rates give ${expected.fee ?? 0} and ${expected.makerRebate ?? 0}`,
  );
}
