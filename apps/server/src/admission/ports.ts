// Ports of admission, which has no state of its own.
import type {
  Address,
  Fault,
  Hex,
  MarketFacts,
  MarketId,
  OrderAnswer,
  SignedOrder,
  SigningDomain,
} from '@presage/protocol';
import type { HostCommands } from '../host/host-commands.ts';

export type { PlacedOrder } from '../host/host-commands.ts';

import type { QuickMarkets } from '../quick/quick-markets.ts';
import type { OrderFunds } from '../wallets/order-funds.ts';

/** A chain that orders may settle on: what is signed for it and what it takes at least. */
export interface AdmissionChain {
  readonly domain: SigningDomain;
  readonly minOrderSize: number;
  /** Other contracts of the chain, for which somebody may have signed by mistake. */
  readonly contracts?: readonly Address[];
  /** Its wallets and its relayer judge the orders of its markets, and of no others. */
  readonly funds?: FundsCheck | undefined;
  readonly assessor?: FundsCheck & FundsAssessor;
  readonly permits?: PermitCheck;
  readonly halts?: HaltLookup;
  /** Quick markets of the chain, if it has any. */
  readonly quick?: Pick<QuickMarkets, 'isPriced'> | undefined;
  /** Without it only keys can sign. */
  readonly wallets?: WalletSigners;
}

export interface AdmissionMarket {
  readonly facts: Pick<MarketFacts, 'chainId' | 'expiration' | 'kind' | 'contractAddress'>;
  readonly status: 'open' | 'closed';
}

/** Halts, pauses and blocks by operators. */
export interface StopLookup {
  checkMarket(marketId: MarketId): Fault | undefined;
  checkTrader(trader: Address): Fault | undefined;
}

/** The operator's say about orders, which an exchange without a hook and limits has none of. */
export interface OrderGate {
  /** An order that passes counts towards its wallet's limits until it is released. */
  check(signed: SignedOrder, chainId: number): Fault | undefined | Promise<Fault | undefined>;
  /** Called once the order is placed or refused. */
  release(signed: SignedOrder): void;
}

/** The engine's follower: it knows durable frames only. */
export interface AdmissionReads {
  market(marketId: MarketId): AdmissionMarket | undefined;
  /** The earlier answer to the same signed order, which may be repeated at once. */
  firstAnswer(signed: SignedOrder): OrderAnswer | undefined;
}

export interface SignerLookup {
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined>;
}

/** Contract wallets, which are asked if no key of the trader signed. */
export interface WalletSigners {
  /** Rejects when the chain cannot be asked. */
  isSigned(wallet: Address, digest: Hex, signature: Hex): Promise<boolean>;
  hasCode(wallet: Address): Promise<boolean>;
}

/** Resolves when the decision is durable; a refusal is a rejection with PresageError. */
export type CommandPort = Pick<HostCommands, 'placeOrder' | 'placeAtomic'>;

/** Traders who halted all their orders on the chain, as far as seen. */
export interface HaltLookup {
  /** Last second in which earlier matches still settle; undefined for a trader who is not halted. */
  effectiveAfter(trader: Address): number | undefined;
}

/** Checks the permit that an order may carry. */
export interface PermitCheck {
  /** A permit that passes counts for later ones until it is released. */
  check(signed: SignedOrder): Promise<Fault | undefined>;
  /** Called once the order is placed or refused. */
  release(signed: SignedOrder): void;
}

/** Early check of funds, for chains with collateralCheck `enforce` only; the chain has the last word. */
export interface FundsCheck {
  /** Funds of an order that passes are reserved until they are released. */
  check(signed: SignedOrder): Fault | undefined | Promise<Fault | undefined>;
  /** Called once the order is placed or refused. */
  release(signed: SignedOrder): void;
  /** Whether the trader has used the nonce in the market: a fault that is answered before any about funds. */
  isNonceUsed(signed: SignedOrder): boolean;
}

/** The funds are undefined while the chain is unreachable; there is no fault if the check is not enforced. */
export interface FundsAssessment {
  readonly funds: OrderFunds | undefined;
  readonly fault: Fault | undefined;
}

/** What an order needs and its wallet has, whether the check is enforced or not. */
export interface FundsAssessor {
  /** Reserves nothing. An order is the trader's own if its signature is. */
  assess(signed: SignedOrder, isOwn: boolean): Promise<FundsAssessment>;
}
