// Creates scheduled markets when their time has come; one that cannot be created is tried again until it would have expired.
import { SerialQueue } from '@presage/runtime';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { EventCreations } from './event-creations.ts';
import type { MarketCreations } from './market-creations.ts';
import type { CreatedEvent, CreatedMarket, ScheduledMarket } from './market-plans.ts';
import type { OperatorState } from './operator-state.ts';

export interface MarketScheduleOptions {
  readonly state: Pick<OperatorState, 'plans'>;
  readonly creations: Pick<MarketCreations, 'createScheduled' | 'cancelSchedule' | 'finish'>;
  readonly events: Pick<EventCreations, 'unfinished' | 'finish'>;
  readonly reads: Pick<MarketReads, 'market'>;
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
  /** Wall time before which nothing is tried again, by schedule. */
  readonly #retryMs = new Map<string, number>();
  /** Keys of markets that were recorded before this start and are not listed: their transactions may be missing. */
  readonly #unfinished = new Map<string, CreatedMarket>();
  /** Events of which outcomes were not listed at this start. */
  #unlisted: CreatedEvent[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MarketScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    const { state, reads, events } = this.#options;
    for (const [key, created] of state.plans.allCreated()) {
      if (reads.market(created.marketId) === undefined) this.#unfinished.set(key, created);
    }
    this.#unlisted = events.unfinished();
    this.#timer = setInterval(() => this.look(), POLL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#rounds.idle();
  }

  /** Starts what is due. */
  look(): void {
    const { state, isActor, nowSeconds, wallMs } = this.#options;
    for (const [key, { chainId }] of this.#unfinished) {
      if (!isActor(chainId)) continue;
      this.#unfinished.delete(key);
      void this.#rounds.run(() => this.#finish(key));
    }
    const waiting = this.#unlisted.filter(({ chainId }) => isActor(chainId));
    this.#unlisted = this.#unlisted.filter((event) => !waiting.includes(event));
    for (const event of waiting) void this.#rounds.run(() => this.#finishEvent(event));
    const isDue = ({ scheduleId, listAt, market }: ScheduledMarket) =>
      listAt <= nowSeconds() && isActor(market.chainId) && (this.#retryMs.get(scheduleId) ?? 0) <= wallMs();
    for (const scheduled of state.plans.scheduled().filter(isDue)) {
      this.#retryMs.set(scheduled.scheduleId, wallMs() + RETRY_MS);
      void this.#rounds.run(() => this.#create(scheduled));
    }
  }

  /** Once at each start: whoever asks for the key again has it tried again. */
  async #finish(key: string): Promise<void> {
    await this.#options.creations.finish(key).catch((error: unknown) => {
      this.#options.log.warn({ key, error: String(error) }, 'recorded market could not be sent');
    });
  }

  async #finishEvent(event: CreatedEvent): Promise<void> {
    await this.#options.events.finish(event).catch((error: unknown) => {
      const { eventId } = event;
      this.#options.log.warn({ eventId, error: String(error) }, 'recorded event could not be listed');
    });
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
