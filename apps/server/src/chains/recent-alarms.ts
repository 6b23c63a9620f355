// Alarms about something that happened: each stands for an hour after the last time, so that whoever looks later still sees it.

export type EventAlarm = 'deep_reorg' | 'trade_revived' | 'key_shared';

const STANDS_MS = 3_600_000;

export class RecentAlarms {
  readonly #wallMs: () => number;
  readonly #lastMs = new Map<EventAlarm, number>();

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs;
  }

  raise(alarm: EventAlarm): void {
    this.#lastMs.set(alarm, this.#wallMs());
  }

  isRaised(alarm: EventAlarm): boolean {
    const lastMs = this.#lastMs.get(alarm);
    return lastMs !== undefined && this.#wallMs() - lastMs < STANDS_MS;
  }
}
