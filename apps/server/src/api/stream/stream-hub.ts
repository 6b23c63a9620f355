// Hub of the stream: follows durable frames and delivers each step once to feeds and channels.
import { randomBytes } from 'node:crypto';
import type { TradeView } from '@presage/engine';
import { type EngineEvent, isEngineEvent, type MarketId, partitionOfMarket, stringifyJson } from '@presage/protocol';
import type { DurableBatch, Follower } from '../../host/partition-log.ts';
import type { MarketReads } from '../../host/ports.ts';
import type { HeldBytes } from '../held-bytes.ts';
import { formatPosition } from '../journal-positions.ts';
import type { QuickMarketNow } from '../quick-answers.ts';
import { openUnsentBytes } from '../unsent-answers.ts';
import { EventChannel } from './event-channel.ts';
import { MarketFeed, type StepReceipts } from './market-feed.ts';
import type { MarketSubscription } from './market-subscription.ts';
import type { Outbox } from './outbox.ts';
import type { ChannelTarget, QuickTarget } from './request-reader.ts';
import { MessageWriter, type SharedMessage } from './shared-message.ts';
import { type CapturedStep, captureStep, type StepPlace } from './step-capture.ts';
import { SubscriptionCounts } from './subscription-counts.ts';
import { Topics } from './topics.ts';
import { type AskBalances, UserChannel } from './user-channel.ts';

export interface StreamHubOptions {
  /** Reads that follow durable frames only. */
  readonly reads: MarketReads;
  /** Logs of all market partitions; `reads` has applied a batch before these deliver it. */
  readonly logs: readonly {
    readonly partition: string;
    readonly lastSeq: number;
    subscribe(follower: Follower): () => void;
  }[];
  readonly nowMs: () => number;
  readonly balances: AskBalances;
  /** Whether the asset has quick markets. */
  readonly hasAsset: (target: QuickTarget) => boolean;
  /** Current answer of GET /api/v1/quick-markets/{asset}. */
  readonly quickMarket: (asset: string, chainId?: number) => QuickMarketNow;
  /** Account of unread bytes, shared with other answers; a separate one by default. */
  readonly unsent?: HeldBytes;
  /** Whether messages tell the journal's position, for readers that may ask another node next. */
  readonly tellsPosition?: boolean;
  /** Signs the frames of steps. */
  readonly receipts?: StepReceipts;
}

/** Longest time of one turn of sending, before orders are handled again. */
const TURN_MS = 8;
/** Limit on unsent steps; beyond it, the order path itself waits until they are sent. */
const MAX_PENDING = 16_384;
/** Time for which a market without subscribers is kept, for clients that reconnect. */
const LINGER_MS = 60_000;

export class StreamHub {
  readonly streamId = randomBytes(8).toString('hex');
  readonly writer = new MessageWriter(this.streamId);
  readonly users: UserChannel;
  readonly events: EventChannel;
  readonly subscriptionCounts = new SubscriptionCounts();
  readonly unsent: HeldBytes;
  readonly nowMs: () => number;
  readonly hasAsset: StreamHubOptions['hasAsset'];
  readonly #options: StreamHubOptions;
  readonly #feeds = new Map<MarketId, MarketFeed>();
  readonly #assets = new Topics();
  readonly #unsubscribe: readonly (() => void)[];
  #pending: CapturedStep[] = [];
  #turn: NodeJS.Immediate | undefined;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    const { nowMs, balances, logs } = options;
    this.nowMs = nowMs;
    this.hasAsset = options.hasAsset;
    this.unsent = options.unsent ?? openUnsentBytes();
    this.users = new UserChannel({ writer: this.writer, nowMs, balances });
    this.events = new EventChannel({ writer: this.writer, nowMs, reads: options.reads });
    this.#unsubscribe = logs.map((log) => log.subscribe((batch) => this.#follow(batch, log.partition)));
  }

  /** Opens a market's feed; undefined for an unlisted market. Everything pending must have been sent. */
  openFeed(marketId: MarketId): MarketFeed | undefined {
    const known = this.#feeds.get(marketId);
    if (known !== undefined) return known;
    const market = this.#options.reads.market(marketId);
    if (market === undefined) return undefined;
    const { reads, receipts } = this.#options;
    const feed = new MarketFeed(market, { reads, writer: this.writer, receipts });
    this.#feeds.set(marketId, feed);
    return feed;
  }

  leave(subscription: MarketSubscription): void {
    subscription.stop();
    const { feed } = subscription;
    if (feed.subscriptions.size === 0) feed.emptySinceMs = performance.now();
  }

  /** Removes feeds that had no subscribers for a while. */
  sweep(): void {
    const limit = performance.now() - LINGER_MS;
    for (const [marketId, { subscriptions, emptySinceMs }] of this.#feeds) {
      if (subscriptions.size === 0 && (emptySinceMs ?? 0) < limit) this.#feeds.delete(marketId);
    }
  }

  watchAsset(target: QuickTarget, reader: Outbox): void {
    const topic = topicOf(target);
    this.#assets.add(topic, reader);
    reader.send(this.#writeQuickMarket(target, this.#assets.seqOf(topic)));
  }

  /** Journal position, for a market that of its partition only; undefined if readers have one node only. */
  positionNow(marketId?: MarketId): string | undefined {
    const { logs, tellsPosition } = this.#options;
    if (tellsPosition !== true) return undefined;
    const index = marketId === undefined ? undefined : partitionOfMarket(marketId, logs.length);
    const asked = logs.filter((_, at) => index === undefined || at === index);
    return asked.map(({ partition, lastSeq }) => formatPosition(partition, lastSeq)).join(';');
  }

  /** Sequence of the last message on a channel. */
  channelSeqOf(target: ChannelTarget): number {
    if (target.kind === 'user') return this.users.seqOf(target.address);
    return target.kind === 'event' ? this.events.seqOf(target.eventId) : this.#assets.seqOf(topicOf(target));
  }

  unwatchAsset(target: QuickTarget, reader: Outbox): void {
    this.#assets.remove(topicOf(target), reader);
  }

  /** Sends the quick market to its subscribers; call it when the answer about the asset has changed. */
  publishQuickMarket(target: QuickTarget): void {
    this.#assets.send(topicOf(target), (channelSeq) => this.#writeQuickMarket(target, channelSeq));
  }

  /** Sends all pending steps, so that later messages follow everything durable. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const step of pending) this.#deliver(step);
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    clearImmediate(this.#turn);
    this.flush();
    this.users.close();
  }

  #follow({ records, frame, firstSeq, lastSeq, failedTrade }: DurableBatch, partition: string): void {
    if (this.#feeds.size === 0 && this.users.isIdle && this.events.isIdle) return;
    const position = this.#options.tellsPosition ? formatPosition(partition, lastSeq) : undefined;
    for (const events of groupByMarket(records.filter(isEngineEvent)).values()) {
      const seq = firstSeq + records.indexOf(events[0]);
      this.#capture(events, { place: { frame, seq }, position, failedTrade });
    }
    for (const record of records) {
      if (record.type !== 'claim-changed') continue;
      // Claims are rare and no steps: sent at once, after the steps before them.
      this.flush();
      this.users.deliverClaim(record, position);
    }
    if (this.#pending.length > MAX_PENDING) this.flush();
    else if (this.#pending.length > 0) this.#turn ??= setImmediate(() => this.#takeTurn());
  }

  #capture(events: Step, known: KnownOfStep): void {
    const { marketId } = events[0];
    const [hasBookReaders, quote] = [this.#feeds.has(marketId), this.events.capture(marketId)];
    if (!hasBookReaders && this.users.isIdle && quote === undefined) return;
    const { isWatched } = this.users;
    const options = { ...known, events, hasBookReaders, isWatched, quote };
    this.#pending.push(captureStep(this.#options.reads, options));
  }

  #writeQuickMarket({ asset, chainId }: QuickTarget, channelSeq: number): SharedMessage {
    const now = this.#options.quickMarket(asset, chainId);
    const data = stringifyJson(chainId === undefined ? now : { ...now, chain_id: chainId });
    const ts = this.#options.nowMs();
    return this.writer.write({ type: 'quick_market', channel: 'quick_market', data, channelSeq, ts });
  }

  /** Delivers pending steps for one turn; runs after the answers to their orders are sent. */
  #takeTurn(): void {
    this.#turn = undefined;
    const pending = this.#pending;
    const until = performance.now() + TURN_MS;
    let sent = 0;
    while (sent < pending.length && performance.now() < until) this.#deliver(pending[sent++]!);
    this.#pending = pending.slice(sent);
    if (this.#pending.length > 0) this.#turn = setImmediate(() => this.#takeTurn());
  }

  #deliver(step: CapturedStep): void {
    const feed = this.#feeds.get(step.marketId);
    // A feed opened after the step was captured already contains it.
    if (feed !== undefined && step.seq > feed.seq) feed.deliver(step);
    if (!this.users.isIdle) this.users.deliver(step);
    this.events.deliver(step);
  }
}

type Step = [EngineEvent, ...EngineEvent[]];

interface KnownOfStep {
  readonly place: StepPlace;
  readonly position: string | undefined;
  readonly failedTrade: TradeView | undefined;
}

function groupByMarket(events: readonly EngineEvent[]): Map<MarketId, Step> {
  const groups = new Map<MarketId, Step>();
  for (const event of events) {
    const group = groups.get(event.marketId);
    if (group === undefined) groups.set(event.marketId, [event]);
    else group.push(event);
  }
  return groups;
}

function topicOf({ asset, chainId }: QuickTarget): string {
  return chainId === undefined ? asset : `${asset} ${chainId}`;
}
