// What is true of a market: facts read from the chain once, when it is listed.
import type { Address, MarketId, TransactionHash } from './ids.ts';

export const CATEGORIES = ['defi', 'protocol', 'stablecoin', 'general'] as const;
export type Category = (typeof CATEGORIES)[number];

export const MARKET_KINDS = ['standard', 'quick'] as const;
export type MarketKind = (typeof MARKET_KINDS)[number];

export interface MarketFacts {
  readonly marketId: MarketId;
  readonly chainId: number;
  readonly kind: MarketKind;
  readonly contractAddress: Address;
  readonly question: string;
  readonly description: string;
  readonly category: Category;
  readonly maker: Address;
  /** Unix seconds. */
  readonly expiration: number;
  /** Unix seconds, the time of the block that created it. */
  readonly createdAt: number;
  readonly settlementAddress: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  /** Decimal strings: position ids are uint256. */
  readonly yesTokenId: string;
  readonly noTokenId: string;
  readonly blockNumber: number;
  readonly transactionHash: TransactionHash;
}
