// One connection's subscription to one market: outcome, snapshots or deltas, last step sent.
import type { BookMode, Outcome } from '@presage/protocol';
import type { MarketFeed, PublishedStep } from './market-feed.ts';
import type { Conflatable, Outbox } from './outbox.ts';
import type { MessageWriter, StreamData } from './shared-message.ts';

export interface SubscriptionOptions {
  /** Outcome to send; both if undefined. */
  readonly outcome: Outcome | undefined;
  readonly mode: BookMode;
  readonly fromSeq: number | undefined;
  /** Whether a receipt, the step's signed place in the journal, follows each step. */
  readonly hasReceipts: boolean;
}

interface MarketSubscriptionOptions extends SubscriptionOptions {
  readonly feed: MarketFeed;
  readonly outbox: Outbox;
  readonly writer: MessageWriter;
}

const BOTH: readonly Outcome[] = [0, 1];

export class MarketSubscription implements Conflatable {
  readonly #options: MarketSubscriptionOptions;
  readonly #outcomes: readonly Outcome[];
  /** Step of the last book message sent, by outcome. */
  readonly #bookSeqs: [number, number] = [0, 0];
  #seq = 0;
  #isBehind = false;

  constructor(options: MarketSubscriptionOptions) {
    this.#options = options;
    this.#outcomes = options.outcome === undefined ? BOTH : [options.outcome];
  }

  get feed(): MarketFeed {
    return this.#options.feed;
  }

  /** Sequence of the last step that was sent completely. */
  get seq(): number {
    return this.#seq;
  }

  /** Sends the steps missed since `fromSeq`, or current books; then every further step. */
  start(): void {
    const { feed, fromSeq } = this.#options;
    feed.subscriptions.add(this);
    const missed = fromSeq === undefined ? undefined : feed.stepsFrom(fromSeq);
    if (missed !== undefined) this.#resume(missed);
    else {
      if (fromSeq !== undefined) this.#sendResync('not_retained');
      this.#sendSnapshots(false);
    }
  }

  stop(): void {
    this.#options.feed.subscriptions.delete(this);
    this.#options.outbox.remove(this);
  }

  deliver(step: PublishedStep): void {
    this.#sendNotices(step);
    for (const book of step.books) {
      if (this.#isBehind || !this.#outcomes.includes(book.outcome)) continue;
      if (this.#options.mode === 'delta') this.#sendBook(step.seq, book.outcome, book.delta);
      else this.#sendStepSnapshot(step.seq, book.outcome);
    }
    this.#sendReceipt(step);
    if (!this.#isBehind) this.#seq = step.seq;
  }

  fallBehind(): void {
    this.#isBehind = true;
    this.#options.outbox.makeUpLater(this);
  }

  catchUp(): void {
    this.#isBehind = false;
    const isDelta = this.#options.mode === 'delta';
    if (isDelta) this.#sendResync('too_slow');
    this.#sendSnapshots(!isDelta);
  }

  /** Sends missed steps: as deltas every change, as snapshots one current book, marked as conflated since it hides skipped ones. */
  #resume(missed: readonly PublishedStep[]): void {
    const isDelta = this.#options.mode === 'delta';
    for (const step of missed) {
      if (isDelta) this.deliver(step);
      else {
        this.#sendNotices(step);
        this.#sendReceipt(step);
      }
    }
    if (!isDelta) this.#sendSnapshots(missed.length > 0);
    if (!this.#isBehind) this.#seq = this.#options.feed.seq;
  }

  #sendNotices({ notices }: PublishedStep): void {
    for (const { message, outcome } of notices) {
      if (outcome === undefined || this.#outcomes.includes(outcome)) this.#options.outbox.send(message);
    }
  }

  #sendReceipt({ receipt }: PublishedStep): void {
    if (this.#options.hasReceipts && receipt !== undefined) this.#options.outbox.send(receipt());
  }

  #sendStepSnapshot(seq: number, outcome: Outcome): void {
    if (this.#options.outbox.isCongested) this.fallBehind();
    else this.#sendBook(seq, outcome, this.#options.feed.stepSnapshot(outcome));
  }

  #sendSnapshots(isConflated: boolean): void {
    const { feed } = this.#options;
    for (const outcome of this.#outcomes) this.#sendBook(feed.seq, outcome, feed.snapshot(outcome, { isConflated }));
    this.#seq = feed.seq;
  }

  #sendBook(seq: number, outcome: Outcome, message: ReturnType<MarketFeed['snapshot']>): void {
    this.#options.outbox.send(message.after(this.#bookSeqs[outcome]), this);
    this.#bookSeqs[outcome] = seq;
  }

  #sendResync(reason: StreamData<'resync'>['reason']): void {
    const { feed, writer, outbox } = this.#options;
    const data = JSON.stringify({ reason });
    outbox.send(writer.write({ type: 'resync', marketId: feed.marketId, data, seq: feed.seq, ts: feed.timeMs }));
  }
}
