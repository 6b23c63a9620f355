// What the routes may call: one port each, nothing else of the service.
import type { Engine, MarketView } from '@presage/engine';
import type { Address, MarketFacts, MarketId, OrderHash } from '@presage/protocol';
import type { Examination } from '../admission/admission.ts';
import type { PlacedOrder } from '../admission/ports.ts';
import type { ApiKeyService } from '../auth/api-key-service.ts';
import type { Clock } from '../clock.ts';
import type { Price } from '../prices/ports.ts';
import type { Views } from '../projections/views.ts';
import type { CallerGuard } from './callers.ts';

export interface CancelledOrder {
  readonly filledSize: number;
  readonly remainingSize: number;
}

export interface SyncedPosition {
  readonly yesShares: bigint;
  readonly noShares: bigint;
  readonly blockNumber: number;
}

export interface OrderService {
  submit(body: unknown): Promise<PlacedOrder>;
  /** One result each, in the order of the list. */
  submitAll(bodies: readonly unknown[]): Promise<PromiseSettledResult<PlacedOrder>[]>;
  examine(body: unknown): Promise<Examination>;
  /** With a wallet given, the order must be that wallet's. */
  cancel(marketId: MarketId, orderHash: OrderHash, wallet?: Address): Promise<CancelledOrder>;
  cancelAll(wallet: Address, marketId?: MarketId): Promise<OrderHash[]>;
  /** Answers when the switch lapses, in wall milliseconds; 0 when disarmed. */
  heartbeat(wallet: Address, timeoutSeconds: number): Promise<number>;
}

export interface PositionPort {
  /** Rejects with chain_sync_unavailable while the chain is away. */
  sync(market: MarketFacts, wallet: Address): Promise<SyncedPosition>;
}

export interface SandboxPort {
  fund(address: Address, amount: bigint | undefined): Promise<object>;
  createMarket(wish: CreateMarketParams): Promise<MarketId>;
  travel(seconds: number): Promise<object>;
  setFaults(wish: FaultParams): Promise<object>;
}

export interface PricePort {
  /** Whether it is configured; by its upper-case name. */
  has(asset: string): boolean;
  last(asset: string): Price | undefined;
  /** Twenty minutes, oldest first. */
  history(asset: string): readonly Price[];
  /** The URL that was asked for a price. */
  sourceUrl(price: Price): string;
}

export interface SandboxPricePort {
  /** With null the asset follows the simulated market again. */
  pin(asset: string, priceUsd: number | null): Promise<object>;
}

/** The sandbox's disputer and arbitrator; each move answers with the market as it stands then. */
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
  describe(): object;
  /** The newest block seen; 0 before the first. */
  headBlock(): number;
  status(): Promise<object>;
  ready(): Promise<{ readonly isReady: boolean; readonly body: object }>;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface ApiServices {
  readonly clock: Clock;
  /** Follows durable frames only. */
  readonly reads: Engine;
  readonly views: Views;
  readonly orders: OrderService;
  readonly positions: PositionPort;
  readonly service: StatusPort;
  readonly keys: ApiKeyService;
  /** Absent where authentication is off: then the header is ignored. */
  readonly guard?: CallerGuard;
}
