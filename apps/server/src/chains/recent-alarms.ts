// Alarms about single events: each stays raised for an hour after the last occurrence, so that operators who look later still see it.

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
