// Feed of one topic of one partition: finds its events in the journal and has them delivered in order.
import { sleep } from '@presage/runtime';
import type { DurableBatch, PartitionLog } from '../host/partition-log.ts';
import { type PublicTopic, toEventData, type WebhookEvent } from './webhook-events.ts';

export interface TopicFeedOptions {
  readonly topic: PublicTopic;
  readonly log: Pick<PartitionLog, 'partition' | 'firstSeq' | 'lastSeq' | 'read' | 'subscribe'>;
  /** First sequence not yet processed. */
  readonly fromSeq: number;
  /** Resolves when the event is delivered or given up; rejects only when aborted. */
  readonly deliver: (event: WebhookEvent) => Promise<void>;
  readonly onPosition: (seq: number) => void;
  readonly onTrouble: (error: unknown) => void;
  readonly signal: AbortSignal;
}

const RETRY_MS = 1_000;

export class TopicFeed {
  readonly #options: TopicFeedOptions;
  #position: number;
  #isReading = false;
  #wake = (): void => undefined;

  constructor(options: TopicFeedOptions) {
    this.#options = options;
    this.#position = options.fromSeq;
  }

  /** Sequence of the first record still needed. */
  get position(): number {
    return this.#position;
  }

  /** Runs until aborted. */
  async run(): Promise<void> {
    const { log, signal, onTrouble } = this.#options;
    const unsubscribe = log.subscribe((batch) => this.#onBatch(batch));
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort);
    while (!signal.aborted) {
      this.#isReading = true;
      await this.#readAll().catch(async (error: unknown) => {
        if (signal.aborted) return;
        onTrouble(error);
        await sleep(RETRY_MS, signal).catch(() => undefined);
      });
      this.#isReading = false;
      if (this.#position <= log.lastSeq || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', onAbort);
    unsubscribe();
  }

  /** Skips records without an event as they arrive; reads the journal only if a batch contains one. */
  #onBatch({ firstSeq, lastSeq, records }: DurableBatch): void {
    const isNext = !this.#isReading && firstSeq === this.#position;
    if (isNext && !records.some((record) => toEventData(this.#options.topic, record))) this.#moveTo(lastSeq + 1);
    else this.#wake();
  }

  async #readAll(): Promise<void> {
    const { log, signal } = this.#options;
    this.#position = Math.max(this.#position, log.firstSeq);
    for await (const { firstSeq, records } of log.read(this.#position)) {
      for (const [index, record] of records.entries()) {
        await this.#tell(firstSeq + index, record);
        if (signal.aborted) return;
      }
    }
  }

  async #tell(seq: number, record: DurableBatch['records'][number]): Promise<void> {
    const { topic, log, deliver } = this.#options;
    const data = toEventData(topic, record);
    if (data !== undefined) await deliver({ id: `${topic}:${log.partition}:${seq}`, topic, seq, data });
    this.#moveTo(seq + 1);
  }

  #moveTo(seq: number): void {
    this.#position = seq;
    this.#options.onPosition(seq);
  }
}
