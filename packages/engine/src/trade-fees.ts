// What a fill costs its taker beside the price: nothing of it is kept, since the facts of a market and the fill say all.
import { type FillFees, fillFees, type Price, type Size } from '@presage/protocol/engine-types';
import type { MarketRecord } from './records.ts';

/** Prices and sizes of trades only. */
export function feesOf({ facts }: Pick<MarketRecord, 'facts'>, price: number, size: number): FillFees {
  return fillFees(facts, size as Size, price as Price);
}

/** A journal that charges otherwise was written by another program or changed by somebody: better to stop than to follow it. */
export function assertFees(market: MarketRecord, price: number, size: number, { fee, makerRebate }: FillFees): void {
  const expected = feesOf(market, price, size);
  if (fee === expected.fee && makerRebate === expected.makerRebate) return;
  throw new Error(
    `a trade of ${market.id} charges ${fee ?? 0} and gives back ${makerRebate ?? 0}, where the market's rates give ${expected.fee ?? 0} and ${expected.makerRebate ?? 0}`,
  );
}
