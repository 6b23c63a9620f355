// Delivers events to the operator's receiver: each topic in order, retried until accepted, given up only after a long time.
import { Backoff, sleep } from '@presage/runtime';
import type { Log } from '../log/log.ts';
import { TopicFeed, type TopicFeedOptions } from './topic-feed.ts';
import { PUBLIC_TOPICS, type WebhookEvent, type WebhookTopic } from './webhook-events.ts';
import type { SendWebhook } from './webhook-sender.ts';
import type { DeadLetter, WebhookStore } from './webhook-store.ts';

export interface WebhooksOptions {
  readonly send: SendWebhook;
  readonly store: WebhookStore;
  readonly topics: readonly WebhookTopic[];
  /** Logs of the market partitions. */
  readonly logs: readonly TopicFeedOptions['log'][];
  /** Names of the alarms currently raised. */
  readonly alarms: () => readonly string[];
  /** Whether an alarm's state is known; false after a start until its chain was checked. */
  readonly isKnown: (alarm: string) => boolean;
  /** Time for which a topic may fail before its events become dead letters. */
  readonly giveUpMs: number;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly nowMs?: () => number;
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number };
}

const BACKOFF = { firstMs: 1_000, longestMs: 300_000 };
const ALARMS_EVERY_MS = 5_000;
/** Maximum of dead letters; beyond it, topics wait instead of giving up more events. */
const MOST_DEAD_LETTERS = 10_000;

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #nowMs: () => number;
  readonly #feeds: { readonly index: number; readonly feed: TopicFeed }[] = [];
  /** Time since which all deliveries of a topic have failed. */
  readonly #failingSinceMs = new Map<WebhookTopic, number>();
  readonly #controller = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #alarmTimer: NodeJS.Timeout | undefined;
  #isTellingAlarms = false;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    const topics = PUBLIC_TOPICS.filter((topic) => options.topics.includes(topic));
    for (const topic of topics) {
      for (const [index, log] of options.logs.entries()) this.#feeds.push({ index, feed: this.#openFeed(topic, log) });
    }
  }

  /** Starts delivery. Resolves when the positions are durable: later events are delivered even if the process is killed. */
  async start(): Promise<void> {
    await this.#options.store.write();
    this.#running = Promise.all(this.#feeds.map(({ feed }) => feed.run()));
    if (this.#options.topics.includes('alarm')) {
      this.#alarmTimer = setInterval(() => void this.checkAlarms(), ALARMS_EVERY_MS);
      this.#tellAlarms();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#alarmTimer);
    this.#controller.abort();
    await this.#running;
    await this.#options.store.close();
  }

  /** Sequence of the first record of a market partition that is still needed. */
  readonly neededFromSeq = (index: number): number =>
    Math.min(...this.#feeds.filter((each) => each.index === index).map(({ feed }) => feed.position), Infinity);

  get deadLetters(): readonly DeadLetter[] {
    return this.#options.store.state.dead;
  }

  /** Resends dead letters, oldest first. Stops at the first failure, since an unreachable receiver would delay each of them. */
  async retryDeadLetters(): Promise<number> {
    const { store, send } = this.#options;
    let sent = 0;
    for (const letter of this.deadLetters) {
      const { status } = await send(letter, this.#controller.signal);
      if (status === 'failed') break;
      if (status === 'gone') continue;
      sent += 1;
      store.state.dead = store.state.dead.filter(({ id }) => id !== letter.id);
    }
    await store.write();
    return sent;
  }

  /** Records alarms raised or cleared since the last call; they are durable before they are sent. */
  async checkAlarms(): Promise<void> {
    const { store, alarms, isKnown, log } = this.#options;
    const { state } = store;
    const now = [...new Set([...alarms(), ...state.raised.filter((name) => !isKnown(name))])];
    const changes = [
      ...now.filter((name) => !state.raised.includes(name)).map((name) => ({ alarm: name, raised: true })),
      ...state.raised.filter((name) => !now.includes(name)).map((name) => ({ alarm: name, raised: false })),
    ];
    // Resumes sending, which ended if a write failed while an alarm was given up.
    if (changes.length === 0) return state.alarms.length > 0 ? this.#tellAlarms() : undefined;
    const events = changes.map((change): WebhookEvent => {
      const seq = ++state.alarmSeq;
      return { id: `alarm:${seq}`, topic: 'alarm', seq, data: { ...change, timeMs: this.#nowMs() } };
    });
    state.raised = now;
    state.alarms = [...state.alarms, ...events];
    await store.write().catch((error: unknown) => log.warn({ error: String(error) }, 'webhook state not written'));
    this.#tellAlarms();
  }

  #tellAlarms(): void {
    if (this.#isTellingAlarms) return;
    this.#isTellingAlarms = true;
    const telling = this.#sendAlarms().finally(() => {
      this.#isTellingAlarms = false;
    });
    this.#running = Promise.all([this.#running, telling.catch(() => undefined)]);
  }

  async #sendAlarms(): Promise<void> {
    const { store } = this.#options;
    for (let [next] = store.state.alarms; next !== undefined; [next] = store.state.alarms) {
      await this.#deliver(next);
      store.state.alarms = store.state.alarms.slice(1);
      store.changed();
    }
  }

  #openFeed(topic: TopicFeedOptions['topic'], log: TopicFeedOptions['log']): TopicFeed {
    const { store } = this.#options;
    const { positions } = store.state;
    const key = `${topic} ${log.partition}`;
    // Starts with new events the first time, and also if the journal was restored to a point before the position.
    const fromSeq = Math.min(positions[key] ?? Number.POSITIVE_INFINITY, log.lastSeq + 1);
    positions[key] = fromSeq;
    return new TopicFeed({
      topic,
      log,
      fromSeq,
      deliver: (event) => this.#deliver(event),
      onPosition: (seq) => {
        positions[key] = seq;
        store.changed();
      },
      onTrouble: (error) => this.#options.log.warn({ topic, error: String(error) }, 'webhook feed failed; retrying'),
      signal: this.#controller.signal,
    });
  }

  /** Delivers an event; resolves when it is accepted or given up. */
  async #deliver(event: WebhookEvent): Promise<void> {
    const { send, giveUpMs, log, store } = this.#options;
    const backoff = new Backoff(this.#options.backoff ?? BACKOFF);
    const { signal } = this.#controller;
    for (;;) {
      const delivery = await send(event, signal);
      if (delivery.status === 'delivered') {
        this.#failingSinceMs.delete(event.topic);
        return;
      }
      signal.throwIfAborted();
      const sinceMs = this.#failingSinceMs.get(event.topic) ?? this.#nowMs();
      this.#failingSinceMs.set(event.topic, sinceMs);
      const isOver = delivery.status === 'gone' || this.#nowMs() - sinceMs >= giveUpMs;
      if (isOver && store.state.dead.length < MOST_DEAD_LETTERS) return this.#giveUp(event, delivery.reason);
      log.warn({ id: event.id, reason: delivery.reason }, 'webhook delivery failed; retrying');
      await sleep(backoff.nextMs(), signal);
    }
  }

  async #giveUp(event: WebhookEvent, reason: string): Promise<void> {
    const { store, log } = this.#options;
    log.error({ id: event.id, reason }, 'webhook given up; see presage admin webhooks');
    // Replaces an earlier letter of the same event, which comes again if this write fails.
    const others = store.state.dead.filter(({ id }) => id !== event.id);
    store.state.dead = [...others, { ...event, reason, givenUpMs: this.#nowMs() }];
    await store.write();
  }
}
