// What admission asks of the rest of the service: it owns no state, these do.
import type {
  Address,
  Fault,
  MarketId,
  Order,
  OrderAnswer,
  OrderHash,
  SignedOrder,
  SigningDomain,
} from '@presage/protocol';

/** A chain that orders may settle on: what is signed for it and what it takes at least. */
export interface AdmissionChain {
  readonly domain: SigningDomain;
  readonly minOrderSize: number;
}

export interface AdmissionMarket {
  readonly chainId: number;
  readonly status: 'open' | 'closed';
  /** Unix seconds. */
  readonly expiration: number;
  /** A quick market whose asset has no fresh price: nobody should trade on what it was. */
  readonly isUnpriced?: boolean;
}

export interface MarketLookup {
  find(marketId: MarketId): AdmissionMarket | undefined;
}

/** The first answers of orders, from durable frames only: what it finds may be told at once. */
export interface KnownOrders {
  find(orderHash: OrderHash, signature: string): OrderAnswer | undefined | Promise<OrderAnswer | undefined>;
}

export interface SignerLookup {
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined>;
}

export interface PlacedOrder {
  readonly answer: OrderAnswer;
  /** The same signed order was answered before, and this is that answer. */
  readonly replayed: boolean;
}

/** Resolves when the decision is durable; a refusal is a rejection with PresageError. */
export interface CommandPort {
  placeOrder(signed: SignedOrder): Promise<PlacedOrder>;
}

/** By the service clock, which order expiry and market expiry are measured with. */
export interface Clock {
  nowSeconds(): number;
}

/** The permit that comes with an order, where one does. */
export interface PermitCheck {
  check(signed: SignedOrder): Promise<Fault | undefined>;
}

/** A courtesy to the trader where a chain's collateralCheck is `enforce`; the chain judges. */
export interface FundsCheck {
  check(signed: SignedOrder): Promise<Fault | undefined>;
  /** Whether the trader has used the nonce in the market: a fault that is told before any about funds. */
  isNonceUsed(order: Order): boolean | Promise<boolean>;
}
