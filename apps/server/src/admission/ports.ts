// What admission asks of the rest of the service: it owns no state, these do.
import type {
  Address,
  Fault,
  Hex,
  MarketFacts,
  MarketId,
  OrderAnswer,
  Receipt,
  SignedOrder,
  SigningDomain,
} from '@presage/protocol';

/** A chain that orders may settle on: what is signed for it and what it takes at least. */
export interface AdmissionChain {
  readonly domain: SigningDomain;
  readonly minOrderSize: number;
  /** Others of the chain, which somebody may have signed for by mistake. */
  readonly contracts?: readonly Address[];
  /** Its wallets and its relayer judge the orders of its markets, and of no others. */
  readonly funds?: FundsCheck;
  readonly permits?: PermitCheck;
  readonly halts?: HaltLookup;
  /** Its quick markets, where it has any. */
  readonly quick?: PricedMarkets | undefined;
  /** Without it only keys sign. */
  readonly wallets?: WalletSigners;
}

export interface AdmissionMarket {
  readonly facts: Pick<MarketFacts, 'chainId' | 'expiration' | 'kind' | 'contractAddress'>;
  readonly status: 'open' | 'closed';
}

interface PricedMarkets {
  /** Whether a quick market's price is known well enough to trade on: nobody should trade on what it was. */
  isPriced(marketId: MarketId): boolean;
}

/** What operators have stopped. */
export interface StopLookup {
  checkMarket(marketId: MarketId): Fault | undefined;
  checkTrader(trader: Address): Fault | undefined;
}

/** The engine's follower: it knows durable frames only. */
export interface AdmissionReads {
  market(marketId: MarketId): AdmissionMarket | undefined;
  /** What was answered to the same signed order before: it may be answered at once. */
  firstAnswer(signed: SignedOrder): OrderAnswer | undefined;
}

export interface SignerLookup {
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined>;
}

/** Wallets that are contracts: asked where no key of the trader's signed. */
export interface WalletSigners {
  /** Rejects when the chain cannot be asked. */
  isSigned(wallet: Address, digest: Hex, signature: Hex): Promise<boolean>;
  hasCode(wallet: Address): Promise<boolean>;
}

export interface PlacedOrder {
  readonly answer: OrderAnswer;
  /** The same signed order was answered before, and this is that answer. */
  readonly replayed: boolean;
  /** Absent of an answer that is repeated. */
  readonly receipt?: Receipt;
}

/** Resolves when the decision is durable; a refusal is a rejection with PresageError. */
export interface CommandPort {
  placeOrder(signed: SignedOrder): Promise<PlacedOrder>;
}

/** Who has stopped all their orders on the chain, as far as it was seen. */
export interface HaltLookup {
  /** Last second in which what matched before still settles; undefined of a trader who trades. */
  effectiveAfter(trader: Address): number | undefined;
}

/** The permit that comes with an order, where one does. */
export interface PermitCheck {
  /** What it lets pass counts for the permits after it until it is released. */
  check(signed: SignedOrder): Promise<Fault | undefined>;
  /** The order is placed, or will not be. */
  release(signed: SignedOrder): void;
}

/** Stablecoin with 6 decimals, unless the name says shares. */
export interface OrderFunds {
  readonly token: Address;
  readonly spender: Address;
  /** What the order takes at most. */
  readonly required: bigint;
  /** What open orders and unsettled fills could take. */
  readonly reserved: bigint;
  readonly balance: bigint;
  /** With the permit sent with the order. */
  readonly allowance: bigint;
  /** What is left of the balance beside what is reserved. */
  readonly available: bigint;
  /** Held shares that it would sell; they need an approval of their own. */
  readonly sharesRequired: bigint;
  readonly sharesApproved: boolean;
  readonly covered: boolean;
}

/** A courtesy to the trader where a chain's collateralCheck is `enforce`; the chain judges. */
export interface FundsCheck {
  /** Finds no fault where it is not enforced. What it lets pass is reserved until it is released. */
  check(signed: SignedOrder): Fault | undefined | Promise<Fault | undefined>;
  /** The order is placed, or will not be. */
  release(signed: SignedOrder): void;
  /** Reserves nothing; the funds are undefined while the chain is unreachable. */
  assess(signed: SignedOrder): Promise<{ readonly funds: OrderFunds | undefined; readonly fault: Fault | undefined }>;
  /** Whether the trader has used the nonce in the market: a fault that is answered before any about funds. */
  isNonceUsed(signed: SignedOrder): boolean;
}
