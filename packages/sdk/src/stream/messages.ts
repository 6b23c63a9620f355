// Messages of the WebSocket stream that the client reads.
import type { Refusal } from '../errors.ts';
import type { OrderbookDelta, OrderbookMessage } from '../types.ts';

export type LevelChange = OrderbookDelta['changes'][number];

export interface HeartbeatData {
  /** Market subscriptions, each with the last step that was sent completely. */
  readonly subscriptions: readonly { readonly marketId?: string; readonly seq?: number }[];
}

interface Envelope {
  readonly marketId?: string;
  readonly channel?: string;
  /** Step of the market. */
  readonly seq?: number;
  /** Book messages only: step of the previous message for that outcome. */
  readonly prevSeq?: number;
  /** Unix milliseconds. */
  readonly ts: number;
  /** Position of the journal, if the service has several nodes. */
  readonly position?: string;
}

/** Events of a market that are delivered unchanged. */
type MarketEventType = 'trade' | 'trade_status' | 'order_cancelled' | 'market' | 'resolution' | 'quick_market';

/** Unknown types of a newer service are ignored. */
export type StreamMessage = Envelope &
  (
    | { readonly type: 'orderbook'; readonly data: OrderbookMessage }
    | { readonly type: 'orderbook_delta'; readonly data: OrderbookDelta }
    | { readonly type: 'heartbeat'; readonly data: HeartbeatData }
    | { readonly type: 'error'; readonly data: Refusal }
    | { readonly type: 'subscribe' | 'resync' | MarketEventType; readonly data: object }
  );
