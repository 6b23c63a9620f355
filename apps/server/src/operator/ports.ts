// What the operator's part needs of the rest of the service.
import type { MarketView } from '@presage/engine';
import type { Address, Hex, MarketId, OperatorActed } from '@presage/protocol';

export interface MarketTerms {
  readonly question: string;
  readonly description: string;
  readonly category: string;
  /** Unix seconds. */
  readonly expiration: number;
}

/** The account that may create markets on a chain. */
export interface MarketCreator {
  /** The id that a market with these terms gets; rejects with what the contract would refuse. */
  prepare(terms: MarketTerms): Promise<MarketId>;
  /** Resolves when the transaction cannot be forgotten any more. */
  create(marketId: MarketId, terms: MarketTerms): Promise<void>;
}

/** What does not get on at one chain. */
export interface ChainFailures {
  readonly waitingTrades: number;
  readonly oldestSeconds: number | null;
  readonly attempts: number;
  readonly reason: string | null;
  readonly nextTryMs: number | null;
  readonly refusedBatches: number;
  readonly stuckSenders: readonly string[];
  readonly alarms: readonly string[];
}

/** One chain as the operator acts on it. */
interface OperatedChain {
  readonly config: { readonly chainId: number };
  /** Undefined on a node that does not act on the chain; requests of operators are not answered there. */
  readonly actor: { readonly operations: ActorOperations } | undefined;
}

export interface ActorOperations {
  /** Undefined if no key for it is configured. */
  readonly creator: MarketCreator | undefined;
  /** Rejects with `not_voidable` where the contract does not let it; `note` is awaited before anything is sent. */
  voidMarket(contract: Hex, note: () => Promise<void>): Promise<string>;
  failures(): ChainFailures;
  /** What waits for its next attempt makes it now. */
  retry(): void;
}

export interface OperatedChains {
  list(): readonly OperatedChain[];
  find(chainId: number): OperatedChain | undefined;
}

export interface OperatorReads {
  market(marketId: MarketId): MarketView | undefined;
}

export interface OperatorCommands {
  closeEarly(marketId: MarketId): Promise<void>;
  cancelOrders(trader: Address, reason: 'wallet_blocked'): Promise<{ readonly cancelled: readonly unknown[] }>;
}

/** Into the control partition; durable, and followed, when it resolves. */
export type NoteAction = (record: OperatorActed) => Promise<void>;
