// Messages of the WebSocket stream, as far as a client reads them.
import type { Level, Trade } from '../types.ts';

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

export interface BookData {
  readonly marketId: string;
  readonly outcome: 0 | 1;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly hash: string;
}

export interface DeltaData {
  readonly outcome: 0 | 1;
  readonly changes: readonly LevelChange[];
  readonly hash: string;
}

export interface LevelChange {
  /** 0 = bid, 1 = ask. */
  readonly side: 0 | 1;
  readonly price: number | bigint;
  /** Absolute; 0 removes the level. */
  readonly size: number | bigint;
}

export interface HeartbeatData {
  /** Those to a market with the last step that was sent whole. */
  readonly subscriptions: readonly { readonly marketId?: string; readonly seq?: number }[];
}

export interface TradeStatusData extends Trade {
  readonly reason?: string;
  readonly faultParty?: string;
}

export type StreamMessage = Envelope &
  (
    | { readonly type: 'orderbook'; readonly data: BookData }
    | { readonly type: 'orderbook_delta'; readonly data: DeltaData }
    | { readonly type: 'resync'; readonly data: { readonly reason: string } }
    | { readonly type: 'error'; readonly data: { readonly code: string; readonly error: string } }
    | { readonly type: 'subscribe' | 'heartbeat' | 'pong'; readonly data: object }
    | { readonly type: string; readonly data: object }
  );
