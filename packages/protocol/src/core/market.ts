// Facts of a market, read from the chain once, when it is listed.
import type { FeeRates } from './fees.ts';
import type { Address, Bytes32, MarketId, TransactionHash } from './ids.ts';

/** Categories of a new service; its operator may define others. A market without a defined category is shown as general. */
export const FIRST_CATEGORIES = [
  { id: 'defi', name: 'DeFi' },
  { id: 'protocol', name: 'Protocol' },
  { id: 'stablecoin', name: 'Stablecoin' },
  { id: 'general', name: 'General' },
] as const;
export const GENERAL_CATEGORY = 'general';
/** Id of at most 32 bytes, as the market's contract stores it. */
export const CATEGORY_PATTERN = '^[a-z0-9][a-z0-9-]{0,31}$';

export const MARKET_KINDS = ['standard', 'quick'] as const;
export type MarketKind = (typeof MARKET_KINDS)[number];

/** The event whose outcome a market is. The same in every market of the event, apart from index and name. */
export interface MarketEvent {
  /** Id of the event's condition. */
  readonly id: Bytes32;
  readonly question: string;
  readonly contractAddress: Address;
  /** Number of outcomes, listed or not. */
  readonly count: number;
  readonly index: number;
  readonly name: string;
}

/** Facts of a market. Fee rates of 0 are absent, as in every record from before there were fees. */
export interface MarketFacts extends FeeRates {
  readonly marketId: MarketId;
  readonly chainId: number;
  readonly kind: MarketKind;
  readonly contractAddress: Address;
  readonly question: string;
  readonly description: string;
  readonly category: string;
  readonly maker: Address;
  /** Unix seconds. */
  readonly expiration: number;
  /**
   * True if a result may be proposed before the expiration: trading stops with the proposal and resumes if it is
   * rejected.
   */
  readonly earlyResolution?: true;
  /** Unix seconds, the time of the block that created the market. */
  readonly createdAt: number;
  readonly settlementAddress: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  /** Decimal strings: position ids are uint256. */
  readonly yesTokenId: string;
  readonly noTokenId: string;
  readonly blockNumber: number;
  readonly transactionHash: TransactionHash;
  readonly event?: MarketEvent;
}
