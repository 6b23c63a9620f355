// What every program here needs once, in browsers and in Node alike.
export { Backoff, type BackoffOptions, backoffMs } from './backoff.ts';
export { Listeners } from './listeners.ts';
export { OffsetClock } from './offset-clock.ts';
export { SerialQueue } from './serial-queue.ts';
export { limitTime, sleep, type TimeLimit } from './sleep.ts';
export { poll, type WaitOptions, waitFor } from './wait-for.ts';
