// The call that creates a market, by its terms.
import type { Contracts } from './contracts.ts';
import type { ContractCall } from './typed-contract.ts';

export interface MarketTerms {
  readonly question: string;
  readonly description: string;
  readonly category: string;
  /** Unix seconds. */
  readonly expiration: number;
  /** Whether a result may be proposed before the expiration. */
  readonly earlyResolution?: boolean | undefined;
  /** Taker fee; 0 if absent. */
  readonly feeRateBps?: number | undefined;
  readonly makerShareBps?: number | undefined;
}

export function toCreationCall({ marketFactory }: Pick<Contracts, 'marketFactory'>, terms: MarketTerms): ContractCall {
  const creation = toCreation(terms);
  return creation.name === 'createFeeMarket'
    ? marketFactory.call(creation.name, creation.args)
    : marketFactory.call(creation.name, creation.args);
}

/**
 * The simplest creation function that the terms need: contracts of version 2 have no early resolution and those before
 * version 5 no fees, and they refuse functions that they do not know.
 */
export function toCreation(terms: MarketTerms) {
  const { question, description, category, expiration, earlyResolution = false } = terms;
  const { feeRateBps = 0, makerShareBps = 0 } = terms;
  const common = [question, description, category, BigInt(expiration)] as const;
  if (feeRateBps > 0) {
    return { name: 'createFeeMarket', args: [...common, earlyResolution, feeRateBps, makerShareBps] } as const;
  }
  return { name: earlyResolution ? 'createEarlyMarket' : 'createMarket', args: common } as const;
}
