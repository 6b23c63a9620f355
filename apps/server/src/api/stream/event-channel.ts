// The event channel: sends best prices, trades and states of all outcomes of subscribed events.
import { type Bytes32, type MarketId, type StreamMessageType, stringifyJson, toSeconds } from '@presage/protocol';
import type { MarketReads } from '../../host/ports.ts';
import { findEvent, type ListedEvent } from '../event-list.ts';
import {
  type OutcomeQuote,
  toEventSnapshot,
  toMarketChange,
  toMatchedTrade,
  toOutcomeQuote,
} from '../mappers/stream.ts';
import type { Outbox } from './outbox.ts';
import type { MessageWriter, StreamData } from './shared-message.ts';
import type { CapturedStep } from './step-capture.ts';
import { Topics } from './topics.ts';

interface EventChannelOptions {
  readonly reads: MarketReads;
  readonly writer: MessageWriter;
  readonly nowMs: () => number;
}

export class EventChannel {
  readonly #options: EventChannelOptions;
  readonly #topics = new Topics();
  /** Last prices sent, by event and outcome. */
  readonly #sent = new Map<string, Map<MarketId, string>>();

  constructor(options: EventChannelOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#topics.size === 0;
  }

  /** Whether an outcome of the event is listed. */
  has(eventId: Bytes32): boolean {
    return findEvent(this.#options.reads, eventId) !== undefined;
  }

  /** Sequence of the last message about the event. */
  seqOf(eventId: Bytes32): number {
    return this.#topics.seqOf(eventId);
  }

  /** Current prices of a market; undefined if its event has no subscribers. */
  capture(marketId: MarketId): OutcomeQuote | undefined {
    if (this.isIdle) return undefined;
    const { reads } = this.#options;
    const event = reads.facts(marketId)?.event;
    return event !== undefined && this.#topics.has(event.id) ? toOutcomeQuote(reads, marketId, event) : undefined;
  }

  /** Subscribes a reader and sends the event's snapshot; everything pending must have been sent. */
  add(eventId: Bytes32, reader: Outbox): void {
    const { reads, writer, nowMs } = this.#options;
    const event = findEvent(reads, eventId);
    if (event === undefined) return;
    if (!this.#topics.has(eventId)) this.#sent.set(eventId, this.#quotesOf(event));
    this.#topics.add(eventId, reader);
    const data = stringifyJson(toEventSnapshot(reads, event, toSeconds(nowMs())));
    const envelope = { type: 'event', channel: 'event', data, ts: nowMs() } as const;
    reader.send(writer.write({ ...envelope, channelSeq: this.#topics.seqOf(eventId) }));
  }

  remove(eventId: Bytes32, reader: Outbox): void {
    this.#topics.remove(eventId, reader);
    if (!this.#topics.has(eventId)) this.#sent.delete(eventId);
  }

  deliver(step: CapturedStep): void {
    const { quote, market } = step;
    if (quote === undefined) return;
    for (const event of step.events) {
      const id = event.type === 'trade-matched' ? step.trades.get(event.tradeId)?.id : undefined;
      if (event.type === 'trade-matched' && id !== undefined) this.#send('trade', toMatchedTrade(event, id), step);
    }
    if (market !== undefined) this.#send('market', toMarketChange(market, toSeconds(step.timeMs)), step);
    this.#sendQuote(quote, step);
  }

  #sendQuote(quote: OutcomeQuote, step: CapturedStep): void {
    const sent = this.#sent.get(quote.eventId);
    const text = JSON.stringify(quote);
    if (sent === undefined || sent.get(step.marketId) === text) return;
    sent.set(step.marketId, text);
    this.#send('outcome', quote, step);
  }

  #send<T extends StreamMessageType>(type: T, data: StreamData<T>, step: CapturedStep): void {
    if (step.quote === undefined) return;
    const { marketId, seq, timeMs: ts, position, quote } = step;
    const envelope = { type, channel: 'event', marketId, data: stringifyJson(data), seq, ts, position } as const;
    this.#topics.send(quote.eventId, (channelSeq) => this.#options.writer.write({ ...envelope, channelSeq }));
  }

  #quotesOf(event: ListedEvent): Map<MarketId, string> {
    const { reads } = this.#options;
    return new Map(
      event.map(({ view: { facts }, event: of }) => {
        return [facts.marketId, JSON.stringify(toOutcomeQuote(reads, facts.marketId, of))];
      }),
    );
  }
}
