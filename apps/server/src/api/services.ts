import type { MarketView } from '@presage/engine';
import type {
  Address,
  FaultAnswer,
  FundAnswer,
  MarketId,
  OrderHash,
  PinnedPrice,
  Receipt,
  ServiceConfig,
  ServiceReadiness,
  ServiceStatus,
  TravelAnswer,
} from '@presage/protocol';
import type { Examination } from '../admission/admission.ts';
import type { PlacedOrder } from '../admission/ports.ts';
import type { ApiKeyService } from '../auth/api-key-service.ts';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { ChainProblem } from '../chains/chain-problem.ts';
import type { Clock } from '../clock.ts';
import type { MarketReads } from '../host/ports.ts';
import type { MarketPresentation } from '../operator/market-presentation.ts';
import type { OperatorService } from '../operator/operator-service.ts';
import type { Price } from '../prices/ports.ts';
import type { AuditEntry, AuditQuery } from '../projections/audit/audit-log.ts';
import type { Views } from '../projections/views.ts';
import type { Answer } from './answer.ts';

export interface CancelledOrder {
  readonly filledSize: number;
  readonly remainingSize: number;
  readonly receipt?: Receipt;
}

export interface OrderService {
  submit(body: unknown): Promise<PlacedOrder>;
  /** One result each, in the order of the list. */
  submitAll(bodies: readonly unknown[]): Promise<PromiseSettledResult<PlacedOrder>[]>;
  /** Receipt of an order that was accepted before; undefined while the view does not know it. */
  receiptOf(orderHash: OrderHash): Promise<Receipt | undefined>;
  examine(body: unknown): Promise<Examination>;
  /** With a wallet given, the order must be that wallet's. */
  cancel(marketId: MarketId, orderHash: OrderHash, wallet?: Address): Promise<CancelledOrder>;
  cancelAll(wallet: Address, marketId?: MarketId): Promise<{ cancelled: OrderHash[]; receipt?: Receipt }>;
  /** Answers when the switch expires, in wall milliseconds; 0 when disarmed. */
  heartbeat(wallet: Address, timeoutSeconds: number): Promise<number>;
}

export type { ServedChain };

export interface ServedChains {
  /** Served chains in the order of the configuration, without those that have never answered. */
  list(): readonly ServedChain[];
  find(chainId: number): ServedChain | undefined;
  /** Why a configured chain is not served, as far as known. */
  problemOf(chainId: number): ChainProblem | undefined;
  /** Called for all that are open, and for each that opens later. */
  onOpened(listener: (chain: ServedChain) => unknown): Promise<void>;
}

/** Sandbox controls of one chain. */
export interface SandboxPort {
  fund(address: Address, amount: bigint | undefined): Promise<Answer<typeof FundAnswer>>;
  createMarket(params: CreateMarketParams): Promise<MarketId>;
  setFaults(params: FaultParams): Promise<Answer<typeof FaultAnswer>>;
}

export interface TimeTravelPort {
  /** Moves the clocks of the service and of every chain. */
  travel(seconds: number): Promise<Answer<typeof TravelAnswer>>;
}

export interface MakerPort {
  /** Durable when it resolves. */
  set(running: boolean): Promise<boolean>;
}

export interface PricePort {
  /** Whether the asset is configured, by its upper-case name. */
  has(asset: string): boolean;
  last(asset: string): Price | undefined;
  /** Prices of the last twenty minutes, oldest first. */
  history(asset: string): readonly Price[];
  /** The URL that was asked for a price. */
  sourceUrl(price: Price): string;
}

export interface SandboxPricePort {
  /** With null the asset follows the simulated market again. */
  pin(asset: string, priceUsd: number | null): Promise<Answer<typeof PinnedPrice>>;
}

/** The sandbox's disputer and arbitrator; each move returns the market after it. */
export interface SandboxOraclePort {
  dispute(marketId: MarketId): Promise<MarketView>;
  arbitrate(marketId: MarketId, isTruthful: boolean): Promise<MarketView>;
}

export interface CreateMarketParams {
  readonly question: string;
  readonly description: string;
  readonly category: string;
  readonly expiration: number;
}

export interface FaultParams {
  readonly chain?: 'up' | 'down' | 'slow';
  readonly settlement?: 'normal' | 'revert';
  readonly reorgDepth?: number;
  readonly oracle?: 'normal' | 'stalled';
}

export interface StatusPort {
  /** GET /api/v1/config. */
  describe(): Answer<typeof ServiceConfig>;
  /** Status without the accounts that pay, which concern only the operator. */
  publicStatus(): Promise<Answer<typeof ServiceStatus>>;
  status(): Promise<Answer<typeof ServiceStatus>>;
  ready(): Promise<Answer<typeof ServiceReadiness>>;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface ApiServices {
  readonly clock: Clock;
  /** Follows durable frames only. */
  readonly reads: MarketReads;
  readonly views: Views;
  readonly orders: OrderService;
  readonly chains: ServedChains;
  readonly service: StatusPort;
  readonly keys: ApiKeyService;
  readonly presentation: MarketPresentation;
}

/** Ports of the operator's endpoints. */
export interface OperatorPorts {
  readonly service: OperatorService;
  readonly audit: { list(query: AuditQuery): Promise<AuditEntry[]> };
}
