// Live markets, books, trades and wallets: async iterators that reconnect, resume, verify, and report a gap when they cannot.
import type { CallOptions, Http } from '../http.ts';
import { type OutcomeName, toAddress, toAsset, toBytes32, toOutcome } from '../inputs.ts';
import type {
  ActiveQuickMarket,
  ClaimUpdate,
  EventUpdate,
  MarketStatusUpdate,
  OpenOrder,
  OutcomeUpdate,
  Trade,
  TradeStatusUpdate,
  UserBalance,
  UserFill,
} from '../types.ts';
import { EventQueue } from './event-queue.ts';
import {
  type BookEvent,
  type GapEvent,
  MarketFollower,
  type MarketUpdate,
  type WatchMarketEvent,
} from './market-follower.ts';
import type { StreamMessage } from './messages.ts';
import { type ConnectionCallbacks, iterate, keepSubscribed, type Subscription, type Watch } from './watch.ts';
import { watchPrice } from './watch-price.ts';

/** Every watch ends with its signal; those of the WebSocket stream also call back about their connection. */
export type WatchOptions = CallOptions & ConnectionCallbacks;

export type WatchBookEvent = BookEvent | GapEvent;
export type WatchTradesEvent = Extract<MarketUpdate, { type: 'trade' | 'trade_status' }> | GapEvent;

export type WatchUserEvent =
  | GapEvent
  | { readonly type: 'order'; readonly ts: number; readonly data: OpenOrder }
  | { readonly type: 'fill'; readonly ts: number; readonly data: UserFill }
  | { readonly type: 'trade_status'; readonly ts: number; readonly data: TradeStatusUpdate }
  | { readonly type: 'claim'; readonly ts: number; readonly data: ClaimUpdate }
  | { readonly type: 'balance'; readonly ts: number; readonly data: UserBalance };

export type WatchQuickMarketEvent =
  | GapEvent
  | { readonly type: 'quick_market'; readonly ts: number; readonly data: ActiveQuickMarket };

export type WatchEventEvent =
  | GapEvent
  | { readonly type: 'event'; readonly ts: number; readonly data: EventUpdate }
  | { readonly type: 'outcome'; readonly ts: number; readonly data: OutcomeUpdate }
  | { readonly type: 'trade'; readonly ts: number; readonly data: Trade }
  | { readonly type: 'market'; readonly ts: number; readonly data: MarketStatusUpdate };

const EVENT_TYPES: ReadonlySet<string> = new Set(['event', 'outcome', 'trade', 'market']);
const QUICK_TYPES: ReadonlySet<string> = new Set(['quick_market']);
const USER_TYPES: ReadonlySet<string> = new Set(['order', 'fill', 'trade_status', 'claim', 'balance']);
const TOO_SLOW = (): GapEvent => ({ type: 'gap', reason: 'too_slow' });

export function watchActions(http: Http) {
  return {
    /** Everything that happens in a market: books, trades and their settlement, cancellations, its closing and resolution. */
    watchMarket: (marketId: string, options: WatchOptions = {}): Watch<WatchMarketEvent> =>
      watchMarket(http, { marketId, ...options, isWanted: () => true }),

    /**
     * The book of one outcome, or of both. It is rebuilt from deltas and checked against the service's hash at every step.
     * A reader slower than the market gets the newest book, not every one. Ends with the signal.
     */
    watchBook: (
      marketId: string,
      options: WatchOptions & { readonly outcome?: OutcomeName } = {},
    ): Watch<WatchBookEvent> =>
      // Books and gaps are all that pass.
      watchMarket(http, { marketId, ...options, isWanted: isGap }) as Watch<WatchBookEvent>,

    /** Every trade of a market and every change of its stage, exactly once unless a gap event says otherwise. */
    watchTrades: (marketId: string, options: WatchOptions = {}): Watch<WatchTradesEvent> =>
      // Trades, their stages and gaps are all that pass.
      watchMarket(http, {
        marketId,
        ...options,
        isWanted: isTrade,
        hasBooks: false,
      }) as Watch<WatchTradesEvent>,

    /** Orders, fills, settlements, claims and balances of a wallet. A reconnection yields a gap: read the wallet's state again. */
    watchUser: (address: string, options: WatchOptions = {}): Watch<WatchUserEvent> =>
      watchChannel<WatchUserEvent>(http, {
        ...options,
        channel: 'user',
        data: { address: toAddress('address', address) },
        types: USER_TYPES,
      }),

    /**
     * Best prices, trades and states of all outcomes of an event, starting with the event itself. A reconnection yields
     * a gap and the event again.
     */
    watchEvent: (eventId: string, options: WatchOptions = {}): Watch<WatchEventEvent> =>
      watchChannel<WatchEventEvent>(http, {
        ...options,
        channel: 'event',
        data: { eventId: toBytes32('eventId', eventId) },
        types: EVENT_TYPES,
      }),

    /** The active quick market of an asset: its start, its changes and its end. */
    watchQuickMarket: (
      asset: string,
      { chainId, ...options }: WatchOptions & { readonly chainId?: number } = {},
    ): Watch<WatchQuickMarketEvent> =>
      watchChannel<WatchQuickMarketEvent>(http, {
        ...options,
        channel: 'quick_market',
        data: { asset: toAsset(asset), ...(chainId !== undefined && { chain_id: chainId }) },
        types: QUICK_TYPES,
      }),

    /** Prices of an asset, starting with the last known one; prices missed during a reconnection are sent later. */
    watchPrice: (asset: string, { signal }: CallOptions = {}) => watchPrice(http, asset, signal),
  };
}

function isGap({ type }: MarketUpdate | GapEvent): boolean {
  return type === 'gap';
}

function isTrade({ type }: MarketUpdate | GapEvent): boolean {
  return type === 'trade' || type === 'trade_status' || type === 'gap';
}

interface MarketWatch extends WatchOptions {
  readonly marketId: string;
  readonly outcome?: OutcomeName | undefined;
  readonly isWanted: (event: MarketUpdate | GapEvent) => boolean;
  readonly hasBooks?: boolean;
}

function watchMarket(http: Http, watch: MarketWatch): Watch<WatchMarketEvent> {
  const marketId = toBytes32('marketId', watch.marketId);
  const filter: { outcome?: 0 | 1 } = watch.outcome === undefined ? {} : { outcome: toOutcome(watch.outcome) };
  const queue = new EventQueue<WatchMarketEvent>(TOO_SLOW);
  let send: (request: object) => void = () => undefined;
  const follower = new MarketFollower(marketId, filter.outcome, {
    onEvent: (event) => watch.isWanted(event) && queue.push(() => event),
    bookChanged: (outcome) => {
      if (watch.hasBooks !== false) queue.push(() => follower.bookOf(outcome), `book ${outcome}`);
    },
    needSnapshot: () => send({ type: 'snapshot', marketId, data: filter }),
  });
  const subscription: Subscription = {
    request: () => {
      const fromSeq = follower.resumeFrom();
      const data = { ...filter, book: 'delta', ...(fromSeq !== undefined && { fromSeq }) };
      return { type: 'subscribe', marketId, data };
    },
    accept: (message, sendMore) => {
      send = sendMore;
      follower.accept(message);
    },
  };
  const { onMessage, onLost } = watch;
  return iterate(
    queue,
    (signal, onReady) => keepSubscribed({ http, subscription, signal, onReady, onMessage, onLost }),
    watch.signal,
  );
}

interface ChannelWatch extends WatchOptions {
  readonly channel: 'user' | 'quick_market' | 'event';
  readonly data: object;
  /** Message types to deliver. */
  readonly types: ReadonlySet<string>;
}

/** Channels cannot be resumed: events between two connections are lost, hence the gap. */
function watchChannel<E>(http: Http, watch: ChannelWatch): Watch<E | GapEvent> {
  const { channel, data, types, signal, onMessage, onLost } = watch;
  const queue = new EventQueue<E | GapEvent>(TOO_SLOW);
  let connections = 0;
  const subscription: Subscription = {
    request: () => ({ type: 'subscribe', channel, data }),
    accept: (message: StreamMessage) => {
      if (message.type === 'subscribe' && connections++ > 0) queue.push(() => ({ type: 'gap', reason: 'reconnected' }));
      if (!types.has(message.type)) return;
      const event: unknown = { type: message.type, ts: message.ts, data: message.data };
      // The filter above lets only the types of E pass.
      queue.push(() => event as E);
    },
  };
  return iterate(
    queue,
    (running, onReady) => keepSubscribed({ http, subscription, signal: running, onReady, onMessage, onLost }),
    signal,
  );
}
