// Messages of the WebSocket stream, as far as a client reads them.
import type { OrderbookDelta, OrderbookMessage } from '../types.ts';

export type LevelChange = OrderbookDelta['changes'][number];

export interface HeartbeatData {
  /** Those to a market with the last step that was sent whole. */
  readonly subscriptions: readonly { readonly marketId?: string; readonly seq?: number }[];
}

interface Envelope {
  readonly marketId?: string;
  readonly channel?: string;
  /** The market's step. */
  readonly seq?: number;
  /** Of book messages: the step of the one before, of that outcome. */
  readonly prevSeq?: number;
  /** Unix milliseconds. */
  readonly ts: number;
}

/** Types that a newer service may add are passed over. */
export type StreamMessage = Envelope &
  (
    | { readonly type: 'orderbook'; readonly data: OrderbookMessage }
    | { readonly type: 'orderbook_delta'; readonly data: OrderbookDelta }
    | { readonly type: string; readonly data: object }
  );
