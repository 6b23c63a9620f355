// The order a trader signs, and what may be asked beside it without a signature.
import type { Address, Bytes32, MarketId, OrderHash } from './ids.ts';
import type { Price, Size } from './units.ts';

export const BUY = 0;
export const SELL = 1;
export type Side = typeof BUY | typeof SELL;

export const YES = 0;
export const NO = 1;
export type Outcome = typeof YES | typeof NO;

/** Exactly the signed fields; uint64 fields that may pass 2^53 are bigints. */
export interface Order {
  readonly marketId: MarketId;
  readonly trader: Address;
  readonly side: Side;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly nonce: bigint;
  readonly expiration: bigint;
  readonly makerFeeRecipient: Address;
}

export const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

export const SELF_TRADE_PREVENTIONS = ['none', 'cancel_resting', 'cancel_incoming'] as const;
export type SelfTradePrevention = (typeof SELF_TRADE_PREVENTIONS)[number];

/** Wishes that travel beside the order and are not signed. */
export interface OrderTerms {
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly selfTradePrevention: SelfTradePrevention;
}

export const DEFAULT_TERMS: OrderTerms = { timeInForce: 'GTC', postOnly: false, selfTradePrevention: 'none' };

/** EIP-2612 permit that may come with an order. */
export interface PermitSignature {
  readonly nonce: bigint;
  readonly value: bigint;
  readonly deadline: bigint;
  readonly v: number;
  readonly r: Bytes32;
  readonly s: Bytes32;
}

/** A signed order as it becomes a command and then a record. `signature` is normalised: 65 bytes, v 27 or 28, lower case. */
export interface SignedOrder {
  readonly orderHash: OrderHash;
  readonly order: Order;
  readonly signature: `0x${string}`;
  readonly terms: OrderTerms;
  readonly permit?: PermitSignature;
}

export function oppositeSide(side: Side): Side {
  return side === BUY ? SELL : BUY;
}

/** Whether an incoming order at `limit` may trade with a resting one at `resting`. */
export function crosses(incomingSide: Side, limit: number, resting: number): boolean {
  return incomingSide === BUY ? resting <= limit : resting >= limit;
}
