// The signed order and its unsigned terms.
import type { Hex } from './hex.ts';
import type { Address, Bytes32, MarketId, OrderHash } from './ids.ts';
import { keysOf } from './json.ts';
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

export const SELF_TRADE_PREVENTIONS = ['none', 'cancel_resting', 'cancel_incoming'] as const;
export type SelfTradePrevention = (typeof SELF_TRADE_PREVENTIONS)[number];

/**
 * Every term that may accompany the signed order, with its possible values; the first is the default. The journal's
 * records, the body of a submission, the view's columns and the clients follow from this list.
 */
export const ORDER_TERMS = {
  /** `GTC` rests until it is filled; `IOC` takes what there is; `FOK` takes all or nothing. */
  timeInForce: TIMES_IN_FORCE,
  /** Refused with `would_cross` rather than traded at once. */
  postOnly: [false, true],
  /** What happens when the order meets another one of the same wallet. */
  selfTradePrevention: SELF_TRADE_PREVENTIONS,
  /** Sells only shares that the wallet holds: refused with `would_increase`, or ended, rather than mint a short. */
  reduceOnly: [false, true],
} as const;

export type OrderTermName = keyof typeof ORDER_TERMS;
export type OrderTerms = { readonly [Name in OrderTermName]: (typeof ORDER_TERMS)[Name][number] };

export const ORDER_TERM_NAMES = keysOf(ORDER_TERMS);

/** Builds the terms from the list, so that none is missing. */
export function makeTerms(choose: (name: OrderTermName) => OrderTerms[OrderTermName]): OrderTerms {
  const terms: Partial<Record<OrderTermName, OrderTerms[OrderTermName]>> = {};
  for (const name of ORDER_TERM_NAMES) terms[name] = choose(name);
  // TypeScript cannot follow that each value was chosen for its own name.
  return terms as OrderTerms;
}

export const DEFAULT_TERMS: OrderTerms = makeTerms((name) => ORDER_TERMS[name][0]);

export function areDefaultTerms(terms: OrderTerms): boolean {
  if (terms === DEFAULT_TERMS) return true;
  for (const name of ORDER_TERM_NAMES) if (terms[name] !== DEFAULT_TERMS[name]) return false;
  return true;
}

/** The terms among the given fields, without other fields of the same object. */
export function pickTerms(
  given: { readonly [Name in OrderTermName]?: OrderTerms[Name] | undefined },
): Partial<OrderTerms> {
  const picked: Partial<Record<OrderTermName, OrderTerms[OrderTermName]>> = {};
  for (const name of ORDER_TERM_NAMES) if (given[name] !== undefined) picked[name] = given[name];
  // Each value is that of its own name.
  return picked as Partial<OrderTerms>;
}

type TermChoices = { [Name in OrderTermName]: OrderTerms[Name] extends boolean ? true : string[] };

/** The possible values of each term, for clients; true for one that is on or off. */
export function listTermChoices(): TermChoices {
  const choices = ORDER_TERM_NAMES.map((name) => [name, isSwitch(name) || [...ORDER_TERMS[name]]]);
  return Object.fromEntries(choices);
}

/** Whether a term is on or off rather than one of several values. */
export function isSwitch(name: OrderTermName): boolean {
  return typeof ORDER_TERMS[name][0] === 'boolean';
}

/** EIP-2612 permit that may come with an order. */
export interface PermitSignature {
  readonly nonce: bigint;
  readonly value: bigint;
  readonly deadline: bigint;
  readonly v: number;
  readonly r: Bytes32;
  readonly s: Bytes32;
}

/** A signed order as it becomes a command and then a record. `signature` is normalised: a key's has 65 bytes, v 27 or 28, lower case; a contract wallet's has a mark behind it. */
export interface SignedOrder {
  readonly orderHash: OrderHash;
  readonly order: Order;
  readonly signature: Hex;
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
