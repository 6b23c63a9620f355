// Creates scheduled markets when their time has come, and sends what is missing of recorded ones. What fails is tried again until it would have expired.
import { SerialQueue } from '@presage/runtime';
import type { Log } from '../log/log.ts';
import type { EventCreations } from './event-creations.ts';
import type { MarketCreations } from './market-creations.ts';
import type { ScheduledMarket } from './market-plans.ts';
import type { OperatorState } from './operator-state.ts';

export interface MarketScheduleOptions {
  readonly state: Pick<OperatorState, 'plans'>;
  readonly creations: Pick<MarketCreations, 'createScheduled' | 'cancelSchedule' | 'unfinished' | 'finish'>;
  readonly events: Pick<EventCreations, 'unfinished' | 'finish'>;
  /** Whether this node acts on the chain. */
  readonly isActor: (chainId: number) => boolean;
  readonly nowSeconds: () => number;
  readonly wallMs: () => number;
  readonly log: Pick<Log, 'warn'>;
}

const POLL_MS = 500;
const RETRY_MS = 5_000;

export class MarketSchedule {
  readonly #options: MarketScheduleOptions;
  readonly #rounds = new SerialQueue();
  /** Beside the rounds: an event that an operator creates holds the queue of events for as long as its outcomes take. */
  readonly #finishing = new SerialQueue();
  /** Wall time before which nothing is tried again, by schedule. */
  readonly #retryMs = new Map<string, number>();
  /** Wall time of the next look at what was recorded; infinite while one is under way. */
  #finishMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MarketScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), POLL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#rounds.idle(), this.#finishing.idle()]);
  }

  /** Starts what is due. */
  look(): void {
    const { state, isActor, nowSeconds, wallMs } = this.#options;
    if (this.#finishMs <= wallMs()) {
      this.#finishMs = Number.POSITIVE_INFINITY;
      void this.#finishing.run(() => this.#finishAll());
    }
    const isDue = ({ scheduleId, listAt, market }: ScheduledMarket) =>
      listAt <= nowSeconds() && isActor(market.chainId) && (this.#retryMs.get(scheduleId) ?? 0) <= wallMs();
    for (const scheduled of state.plans.scheduled().filter(isDue)) {
      this.#retryMs.set(scheduled.scheduleId, wallMs() + RETRY_MS);
      void this.#rounds.run(() => this.#create(scheduled));
    }
  }

  /** A kill, a settler that lost its chain, or a chain that was slow or unreachable may have left them behind. */
  async #finishAll(): Promise<void> {
    const { creations, events, isActor, wallMs, log } = this.#options;
    const isOurs = ({ chainId }: { readonly chainId: number }) => isActor(chainId);
    for (const { key } of creations.unfinished().filter(isOurs)) {
      await creations.finish(key).catch((error: unknown) => {
        log.warn({ key, error: String(error) }, 'recorded market could not be sent; retrying');
      });
    }
    for (const event of events.unfinished().filter(isOurs)) {
      await events.finish(event).catch((error: unknown) => {
        log.warn({ eventId: event.eventId, error: String(error) }, 'recorded event could not be listed; retrying');
      });
    }
    this.#finishMs = wallMs() + RETRY_MS;
  }

  async #create(scheduled: ScheduledMarket): Promise<void> {
    const { creations, log, nowSeconds } = this.#options;
    const { scheduleId, market, actor } = scheduled;
    try {
      if (market.expiration > nowSeconds()) await creations.createScheduled(scheduled);
      else await creations.cancelSchedule({ actor, reason: 'it expired before it could be created' }, scheduleId);
      this.#retryMs.delete(scheduleId);
    } catch (error) {
      log.warn({ scheduleId, error: String(error) }, 'scheduled market not created; retrying');
    }
  }
}
