// Ports of the operator's module.
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
  /** Resolves once the transaction is durable. */
  create(marketId: MarketId, terms: MarketTerms): Promise<void>;
}

/** Operations that are stuck on one chain. */
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
  /** Rejects with `not_voidable` if the contract refuses; awaits `note` before anything is sent. */
  voidMarket(contract: Hex, note: () => Promise<void>): Promise<string>;
  failures(): ChainFailures;
  /** Retries everything that is waiting now. */
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

/** Writes to the control partition; resolves once the record is durable and applied. */
export type NoteAction = (record: OperatorActed) => Promise<void>;
