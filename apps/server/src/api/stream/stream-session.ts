// One stream connection: its requests, its subscriptions and its liveness.
import {
  LIMITS,
  type MarketId,
  type Outcome,
  PresageError,
  type StreamChannel,
  type StreamMessageType,
  stringifyJson,
  toChecksumAddress,
} from '@presage/protocol';
import type { RawData, WebSocket } from 'ws';
import { toPresageError } from '../refusals.ts';
import { MarketSubscription, type SubscriptionOptions } from './market-subscription.ts';
import { MessageAllowance } from './message-allowance.ts';
import { Outbox, type StreamConnection } from './outbox.ts';
import {
  type ChannelTarget,
  idOf,
  parseFrame,
  readRequest,
  type StreamRequest,
  type StreamTarget,
} from './request-reader.ts';
import { type Envelope, type StreamData, toPong } from './shared-message.ts';
import type { StreamHub } from './stream-hub.ts';

interface Subscription {
  readonly target: StreamTarget;
  /** Set for markets only. */
  readonly market?: MarketSubscription;
}

/** Close code of RFC 6455: a message violates the endpoint's policy. */
const POLICY_VIOLATION = 1_008;
const BOTH: readonly Outcome[] = [0, 1];
/** Consecutive unanswered pings that end a connection. More than one, since a ping may wait behind a slow reader's backlog. */
const PINGS_UNANSWERED = 2;

export class StreamSession {
  readonly #socket: WebSocket;
  readonly #hub: StreamHub;
  readonly #outbox: Outbox;
  readonly #allowance = new MessageAllowance(LIMITS.streamMessagesPerSecond, performance.now());
  readonly #subscriptions = new Map<string, Subscription>();
  #unanswered = 0;

  constructor(connection: StreamConnection, hub: StreamHub) {
    const { socket } = connection;
    this.#socket = socket;
    this.#hub = hub;
    this.#outbox = new Outbox(connection, hub.unsent);
    socket.on('message', (data) => this.#onFrame(data));
    socket.on('ping', (payload) => this.#onPing(payload));
    socket.on('pong', () => this.#onPong());
    socket.once('close', () => this.#end());
  }

  /** Sends the seq of every subscription, so that clients notice a dead feed. Skipped while the reader lags. */
  heartbeat(): void {
    if (this.#outbox.isCongested) return;
    const subscriptions = [...this.#subscriptions.values()].map(({ target, market }) =>
      market === undefined ? toNamed(target) : { ...toNamed(target), seq: market.seq },
    );
    this.#send('heartbeat', { data: { subscriptions } });
  }

  /** Tells the client that the service's clock was moved. */
  tellClock(): void {
    const nowMs = this.#hub.nowMs();
    this.#send('clock', { nowMs, data: { nowMs } });
  }

  ping(): void {
    if (this.#unanswered >= PINGS_UNANSWERED) this.#socket.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    this.#unanswered++;
  }

  close(code: number, reason: string): void {
    this.#outbox.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #end(): void {
    this.#outbox.clear();
    for (const key of [...this.#subscriptions.keys()]) this.#drop(key);
  }

  #onFrame(data: RawData): void {
    const allowance = this.#takeAllowance();
    if (allowance !== 'exhausted') this.#tryAnswer(toText(data), allowance === 'granted');
  }

  /** Answers a ping, which counts like any message; ignores it if over the limit, as RFC 6455 allows. */
  #onPing(payload: Buffer): void {
    if (this.#takeAllowance() === 'granted') this.#outbox.send(toPong(payload));
  }

  /** Notes a pong; an unsolicited one counts like any message. */
  #onPong(): void {
    const isAsked = this.#unanswered > 0;
    this.#unanswered = 0;
    if (!isAsked) this.#takeAllowance();
  }

  /** Takes from the allowance. A client that keeps sending while its connection closes is ignored. */
  #takeAllowance() {
    if (this.#socket.readyState !== this.#socket.OPEN) return 'exhausted';
    const allowance = this.#allowance.take(performance.now());
    if (allowance === 'exhausted') this.close(POLICY_VIOLATION, 'too many messages');
    return allowance;
  }

  #tryAnswer(text: string, isGranted: boolean): void {
    let id: unknown;
    try {
      const body = parseFrame(text);
      id = idOf(body);
      if (!isGranted) throw new PresageError('rate_limited', RATE_DETAILS);
      this.#answer(readRequest(body), id);
    } catch (cause) {
      const { code, message, details } = toPresageError(cause);
      this.#send('error', { code, data: { code, error: message, ...(details && { details }) }, id });
    }
  }

  /** Answers a request, after sending everything that was durable when it came. */
  #answer(request: StreamRequest, id: unknown): void {
    this.#hub.flush();
    switch (request.type) {
      case 'subscribe':
        this.#subscribe(request.target, request.options, id);
        break;
      case 'unsubscribe':
        this.#unsubscribe(request.target, id);
        break;
      case 'snapshot':
        this.#sendSnapshot(request.marketId, request.outcome, id);
        break;
      case 'ping':
        this.#send('pong', { data: {}, id });
        break;
    }
  }

  #subscribe(target: StreamTarget, options: SubscriptionOptions, id: unknown): void {
    const key = keyOf(target);
    if (!this.#subscriptions.has(key)) this.#requireRoom();
    if (target.kind === 'market') this.#subscribeMarket(target.marketId, options, id);
    else if (target.kind === 'quick_market' && !this.#hub.hasAsset(target)) {
      throw new PresageError('asset_not_found', { asset: target.asset });
    } else if (target.kind === 'event' && !this.#hub.events.has(target.eventId)) {
      throw new PresageError('event_not_found', { eventId: target.eventId });
    } else this.#subscribeChannel(target, id);
  }

  #requireRoom(): void {
    const { streamSubscriptions, streamAddressSubscriptions } = LIMITS;
    const isCrowded = this.#hub.subscriptionCounts.of(this.#outbox.address) >= streamAddressSubscriptions;
    if (this.#subscriptions.size < streamSubscriptions && !isCrowded) return;
    throw new PresageError('too_many_subscriptions', {
      limit: isCrowded ? streamAddressSubscriptions : streamSubscriptions,
    });
  }

  #keep(key: string, subscription: Subscription): void {
    this.#subscriptions.set(key, subscription);
    this.#hub.subscriptionCounts.add(this.#outbox.address, 1);
  }

  #subscribeChannel(target: ChannelTarget, id: unknown): void {
    this.#drop(keyOf(target));
    this.#keep(keyOf(target), { target });
    const data = { status: 'subscribed', seq: this.#hub.channelSeqOf(target), ...toKeyFields(target) } as const;
    this.#send('subscribe', { ...toChannel(target), data, position: this.#hub.positionNow(), id });
    if (target.kind === 'user') this.#hub.users.add(target.address, this.#outbox);
    else if (target.kind === 'event') this.#hub.events.add(target.eventId, this.#outbox);
    else this.#hub.watchAsset(target, this.#outbox);
  }

  #subscribeMarket(marketId: MarketId, options: SubscriptionOptions, id: unknown): void {
    const feed = this.#hub.openFeed(marketId);
    if (feed === undefined) throw new PresageError('market_not_found', { marketId });
    const target: StreamTarget = { kind: 'market', marketId };
    this.#drop(keyOf(target));
    const market = new MarketSubscription({ ...options, feed, outbox: this.#outbox, writer: this.#hub.writer });
    this.#keep(keyOf(target), { target, market });
    const { seq } = feed;
    const position = this.#hub.positionNow(marketId);
    this.#send('subscribe', { marketId, data: { status: 'subscribed', seq }, seq, position, id });
    market.start();
  }

  #unsubscribe(target: StreamTarget, id: unknown): void {
    this.#drop(keyOf(target));
    const data = { status: 'unsubscribed', ...toKeyFields(target) } as const;
    this.#send('unsubscribe', { ...toChannel(target), data, id });
  }

  #drop(key: string): void {
    const found = this.#subscriptions.get(key);
    if (found === undefined) return;
    this.#subscriptions.delete(key);
    this.#hub.subscriptionCounts.add(this.#outbox.address, -1);
    const { target, market } = found;
    if (market !== undefined) this.#hub.leave(market);
    if (target.kind === 'user') this.#hub.users.remove(target.address, this.#outbox);
    if (target.kind === 'quick_market') this.#hub.unwatchAsset(target, this.#outbox);
    if (target.kind === 'event') this.#hub.events.remove(target.eventId, this.#outbox);
  }

  #sendSnapshot(marketId: MarketId, outcome: Outcome | undefined, id: unknown): void {
    const feed = this.#hub.openFeed(marketId);
    if (feed === undefined) throw new PresageError('market_not_found', { marketId });
    for (const each of outcome === undefined ? BOTH : [outcome]) {
      this.#outbox.send(feed.snapshot(each, { id }).after(0));
    }
  }

  #send<T extends StreamMessageType>(type: T, parts: MessageParts<T>): void {
    const envelope = { ...parts, type, data: stringifyJson(parts.data), ts: this.#hub.nowMs() };
    this.#outbox.send(this.#hub.writer.write(envelope));
  }
}

type MessageParts<T extends StreamMessageType> = Omit<Envelope, 'type' | 'data' | 'ts'> & {
  readonly data: StreamData<T>;
};

const RATE_DETAILS = { limit: LIMITS.streamMessagesPerSecond, perSeconds: 1 };

function toText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}

function keyOf(target: StreamTarget): string {
  switch (target.kind) {
    case 'market':
      return target.marketId;
    case 'user':
      return `user ${target.address}`;
    case 'quick_market':
      return `quick ${target.asset} ${target.chainId ?? ''}`;
    case 'event':
      return `event ${target.eventId}`;
  }
}

function toChannel(target: StreamTarget): { marketId?: string; channel?: StreamChannel } {
  return target.kind === 'market' ? { marketId: target.marketId } : { channel: target.kind };
}

type KeyFields = Pick<StreamData<'unsubscribe'>, 'address' | 'asset' | 'chain_id' | 'eventId'>;

function toKeyFields(target: StreamTarget): KeyFields {
  if (target.kind === 'user') return { address: toChecksumAddress(target.address) };
  if (target.kind === 'event') return { eventId: target.eventId };
  if (target.kind !== 'quick_market') return {};
  const { asset, chainId } = target;
  return chainId === undefined ? { asset } : { asset, chain_id: chainId };
}

function toNamed(target: StreamTarget): StreamData<'heartbeat'>['subscriptions'][number] {
  return { ...toChannel(target), ...toKeyFields(target) };
}
