// Creates scheduled markets when they are due; retries a failed creation until the market would have expired.
import { SerialQueue } from '@presage/runtime';
import type { Log } from '../log/log.ts';
import type { MarketCreations } from './market-creations.ts';
import type { ScheduledMarket } from './market-plans.ts';
import type { OperatorState } from './operator-state.ts';

export interface MarketScheduleOptions {
  readonly state: Pick<OperatorState, 'plans'>;
  readonly creations: Pick<MarketCreations, 'createScheduled' | 'cancelSchedule'>;
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
  /** Wall time of the next attempt, by schedule. */
  readonly #retryMs = new Map<string, number>();
  /** Schedules queued or being created. On a chain that does not answer, a turn takes longer than the pause between attempts. */
  readonly #queued = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: MarketScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), POLL_MS);
  }

  /** Stops; waits only for the creation in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.idle();
  }

  /** Resolves when all rounds so far have ended. */
  async idle(): Promise<void> {
    await this.#rounds.idle();
  }

  /** Starts the creation of due markets. */
  look(): void {
    const { state, isActor, nowSeconds, wallMs } = this.#options;
    const isFree = (scheduleId: string) =>
      !this.#queued.has(scheduleId) && (this.#retryMs.get(scheduleId) ?? 0) <= wallMs();
    const isDue = ({ scheduleId, listAt, market }: ScheduledMarket) =>
      listAt <= nowSeconds() && isActor(market.chainId) && isFree(scheduleId);
    for (const scheduled of state.plans.scheduled().filter(isDue)) {
      this.#queued.add(scheduled.scheduleId);
      void this.#rounds.run(() => this.#create(scheduled));
    }
  }

  async #create(scheduled: ScheduledMarket): Promise<void> {
    const { creations, log, nowSeconds, wallMs } = this.#options;
    const { scheduleId, market, actor } = scheduled;
    if (this.#isClosed) return;
    try {
      if (market.expiration > nowSeconds()) await creations.createScheduled(scheduled);
      else await creations.cancelSchedule({ actor, reason: 'it expired before it could be created' }, scheduleId);
      this.#retryMs.delete(scheduleId);
    } catch (error) {
      this.#retryMs.set(scheduleId, wallMs() + RETRY_MS);
      log.warn({ scheduleId, error: String(error) }, 'scheduled market not created; retrying');
    } finally {
      this.#queued.delete(scheduleId);
    }
  }
}
