// Parses a client's frame into one checked request; refuses anything else with a code of the error catalogue.
import {
  type Address,
  type Bytes32,
  compileLater,
  isObject,
  LIMITS,
  type MarketId,
  type Outcome,
  PresageError,
  parseJson,
  STREAM_CHANNELS,
  STREAM_REQUEST_TYPES,
  toLowerHex,
} from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import { messageOf } from '@presage/runtime';
import { checkerOf, invalidField } from '../bodies.ts';
import type { SubscriptionOptions } from './market-subscription.ts';

export type StreamTarget =
  | { readonly kind: 'market'; readonly marketId: MarketId }
  | { readonly kind: 'user'; readonly address: Address }
  | ({ readonly kind: 'quick_market' } & QuickTarget)
  | { readonly kind: 'event'; readonly eventId: Bytes32 };

/** Target of a subscription to a channel other than a market. */
export type ChannelTarget = Exclude<StreamTarget, { readonly kind: 'market' }>;

/** Target of a subscription to quick markets; without `chainId`, on the service's first chain. */
export interface QuickTarget {
  readonly asset: string;
  readonly chainId?: number;
}

export type StreamRequest =
  | { readonly type: 'subscribe'; readonly target: StreamTarget; readonly options: SubscriptionOptions }
  | { readonly type: 'unsubscribe'; readonly target: StreamTarget }
  | { readonly type: 'snapshot'; readonly marketId: MarketId; readonly outcome: Outcome | undefined }
  | { readonly type: 'ping' };

type Frame = Readonly<Record<string, unknown>>;

export function parseFrame(text: string): Frame {
  if (Buffer.byteLength(text) > LIMITS.streamFrameBytes) throw new PresageError('frame_too_large');
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    throw new PresageError('invalid_json', { reason: messageOf(error) });
  }
  if (!isObject(body) || Array.isArray(body)) throw invalidField('', 'one JSON object');
  return body;
}

const requestId = compileLater(wire.StreamRequestId);

/** Id of a request, if valid: its answer carries it even if the rest of the request is invalid. */
export function idOf(request: Frame): unknown {
  return requestId().Check(request.id) ? request.id : undefined;
}

const bodies = {
  subscribe: {
    market: checkerOf(wire.SubscribeMarket),
    user: checkerOf(wire.SubscribeUser),
    quick_market: checkerOf(wire.SubscribeQuickMarket),
    event: checkerOf(wire.SubscribeEvent),
  },
  unsubscribe: {
    market: checkerOf(wire.UnsubscribeMarket),
    user: checkerOf(wire.UnsubscribeUser),
    quick_market: checkerOf(wire.UnsubscribeQuickMarket),
    event: checkerOf(wire.UnsubscribeEvent),
  },
  snapshot: checkerOf(wire.RequestSnapshot),
  ping: checkerOf(wire.RequestPing),
} as const;

export function readRequest(request: Frame): StreamRequest {
  switch (request.type) {
    case 'subscribe':
      return { type: 'subscribe', target: readTarget('subscribe', request), options: readSubscription(request) };
    case 'unsubscribe':
      return { type: 'unsubscribe', target: readTarget('unsubscribe', request) };
    case 'snapshot': {
      const { marketId, data } = bodies.snapshot(request);
      return { type: 'snapshot', marketId: toLowerHex(marketId), outcome: readOutcome(data?.outcome) };
    }
    case 'ping':
      bodies.ping(request);
      return { type: 'ping' };
    default:
      throw invalidField('type', `one of ${STREAM_REQUEST_TYPES.join(', ')}`, request.type);
  }
}

function readTarget(type: 'subscribe' | 'unsubscribe', request: Frame): StreamTarget {
  switch (channelOf(request)) {
    case undefined:
      return { kind: 'market', marketId: toLowerHex(bodies[type].market(request).marketId) };
    case 'user':
      return { kind: 'user', address: toLowerHex(bodies[type].user(request).data.address) };
    case 'quick_market': {
      const { asset, chain_id: chainId } = bodies[type].quick_market(request).data;
      const target = { kind: 'quick_market', asset: asset.toUpperCase() } as const;
      return chainId === undefined ? target : { ...target, chainId };
    }
    case 'event':
      return { kind: 'event', eventId: toLowerHex(bodies[type].event(request).data.eventId) };
    default:
      throw invalidField('channel', `one of ${STREAM_CHANNELS.join(', ')}, or absent beside a marketId`);
  }
}

/** Channel of a request, the one field that no schema reads; null counts as absent, as in schemas. */
function channelOf({ channel }: Frame): unknown {
  return channel ?? undefined;
}

function readSubscription(request: Frame): SubscriptionOptions {
  if (channelOf(request) !== undefined)
    return { outcome: undefined, mode: 'snapshot', fromSeq: undefined, hasReceipts: false };
  const { data } = bodies.subscribe.market(request);
  return {
    outcome: readOutcome(data?.outcome),
    mode: data?.book ?? 'snapshot',
    // No step lies beyond the safe integers: such a number is answered like a step that is not retained.
    fromSeq: data?.fromSeq === undefined ? undefined : Number(data.fromSeq),
    hasReceipts: data?.receipts === true,
  };
}

/** Parses the outcome; checks it again, because the schema's pattern for decimal strings accepts any digit. */
function readOutcome(value: number | bigint | string | undefined): Outcome | undefined {
  if (value === undefined) return undefined;
  const outcome = Number(value);
  if (outcome !== 0 && outcome !== 1) throw invalidField('data.outcome', '0 or 1');
  return outcome;
}
