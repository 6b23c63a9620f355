// What the routes may call: one port each, nothing else of the service.
import type { Engine, MarketView } from '@presage/engine';
import type { Address, MarketFacts, MarketId, OrderHash } from '@presage/protocol';
import type { Examination } from '../admission/admission.ts';
import type { PlacedOrder } from '../admission/ports.ts';
import type { KeyDesk } from '../auth/key-desk.ts';
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

export interface OrderDesk {
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

export interface PositionDesk {
  /** Rejects with chain_sync_unavailable while the chain is away. */
  sync(market: MarketFacts, wallet: Address): Promise<SyncedPosition>;
}

export interface SandboxDesk {
  fund(address: Address, amount: bigint | undefined): Promise<object>;
  createMarket(wish: MarketWish): Promise<MarketId>;
  travel(seconds: number): Promise<object>;
  setFaults(wish: FaultWish): Promise<object>;
}

export interface PriceDesk {
  /** Whether it is configured; by its upper-case name. */
  has(asset: string): boolean;
  last(asset: string): Price | undefined;
  /** Twenty minutes, oldest first. */
  history(asset: string): readonly Price[];
  /** The URL that was asked for a price. */
  sourceUrl(price: Price): string;
}

export interface SandboxPriceDesk {
  /** With null the asset follows the simulated market again. */
  pin(asset: string, priceUsd: number | null): Promise<object>;
}

/** The sandbox's disputer and arbitrator; each move answers with the market as it stands then. */
export interface OracleDesk {
  dispute(marketId: MarketId): Promise<MarketView>;
  arbitrate(marketId: MarketId, isTruthful: boolean): Promise<MarketView>;
}

export interface MarketWish {
  readonly question: string;
  readonly description: string;
  readonly category: string;
  readonly expiration: number;
}

export interface FaultWish {
  readonly chain?: 'up' | 'down' | 'slow';
  readonly settlement?: 'normal' | 'revert';
  readonly reorgDepth?: number;
  readonly oracle?: 'normal' | 'stalled';
}

export interface ServiceDesk {
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
  readonly orders: OrderDesk;
  readonly positions: PositionDesk;
  readonly service: ServiceDesk;
  readonly keys: KeyDesk;
  /** Absent where authentication is off: then the header is ignored. */
  readonly guard?: CallerGuard;
}
