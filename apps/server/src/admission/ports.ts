// Ports through which admission reads and reserves; admission itself has no state.
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

/** A chain that orders may settle on: its signing domain, minimum order size and checks. */
export interface AdmissionChain {
  readonly domain: SigningDomain;
  readonly minOrderSize: number;
  /** Other contracts of the chain, which a trader may have signed for by mistake. */
  readonly contracts?: readonly Address[];
  /** Checks by this chain's wallets and relayer, for orders of its markets only. */
  readonly funds?: FundsCheck | undefined;
  readonly assessor?: FundsCheck & FundsAssessor;
  readonly permits?: PermitCheck;
  readonly halts?: HaltLookup;
  /** Quick markets of the chain, if it has any. */
  readonly quick?: Pick<QuickMarkets, 'isPriced'> | undefined;
  /** Contract wallets; if missing, only keys can sign. */
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

/** The operator's admission rules; missing in an exchange without a hook and limits. */
export interface OrderGate {
  /** Checks an order; one that passes counts towards its wallet's limits until it is released. */
  check(signed: SignedOrder, chainId: number): Fault | undefined | Promise<Fault | undefined>;
  /** Releases what `check` counted or reserved; called once the order is placed or refused. */
  release(signed: SignedOrder): void;
}

/** Reads of the engine that follows durable frames. */
export interface AdmissionReads {
  market(marketId: MarketId): AdmissionMarket | undefined;
  /** The earlier answer to the same signed order, to repeat immediately. */
  firstAnswer(signed: SignedOrder): OrderAnswer | undefined;
}

export interface SignerLookup {
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined>;
}

/** Contract wallets, asked if the signature does not recover to the trader. */
export interface WalletSigners {
  /** Asks the wallet (EIP-1271); rejects if the chain is unreachable. */
  isSigned(wallet: Address, digest: Hex, signature: Hex): Promise<boolean>;
  hasCode(wallet: Address): Promise<boolean>;
}

/** Resolves when the decision is durable; a refusal is a rejection with PresageError. */
export type CommandPort = Pick<HostCommands, 'placeOrder' | 'placeAtomic'>;

/** Traders known to have halted all their orders on the chain. */
export interface HaltLookup {
  /** Last second at which earlier matches still settle; undefined if the trader is not halted. */
  effectiveAfter(trader: Address): number | undefined;
}

/** Checks the permit that an order may carry. */
export interface PermitCheck {
  /** Checks a permit; one that passes counts for later permits until it is released. */
  check(signed: SignedOrder): Promise<Fault | undefined>;
  /** Releases what `check` counted or reserved; called once the order is placed or refused. */
  release(signed: SignedOrder): void;
}

/** Early check of funds, for chains with collateralCheck `enforce` only; the chain has the last word. */
export interface FundsCheck {
  /** Checks funds; an order that passes reserves them until it is released. */
  check(signed: SignedOrder): Fault | undefined | Promise<Fault | undefined>;
  /** Releases what `check` counted or reserved; called once the order is placed or refused. */
  release(signed: SignedOrder): void;
  /** Whether the trader has used the nonce in the market: that fault takes precedence over missing funds. */
  isNonceUsed(signed: SignedOrder): boolean;
}

/** `funds` is undefined while the chain is unreachable; `fault` is undefined if the check is not enforced. */
export interface FundsAssessment {
  readonly funds: OrderFunds | undefined;
  readonly fault: Fault | undefined;
}

/** Compares what an order needs with what its wallet has, even where the check is not enforced. */
export interface FundsAssessor {
  /** Assesses without reserving. `isOwn` says that the order carries the trader's own signature. */
  assess(signed: SignedOrder, isOwn: boolean): Promise<FundsAssessment>;
}
