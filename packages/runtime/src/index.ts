// Shared tools, one of each, for browsers and Node alike.
export { Backoff, backoffMs } from './backoff.ts';
export { MOST_ANSWER_BYTES, readBoundedText } from './bounded-text.ts';
export { FairPlaces, type Placed } from './fair-places.ts';
export { FairQueue } from './fair-queue.ts';
export { Listeners } from './listeners.ts';
export { NewestMap } from './newest-map.ts';
export { OffsetClock } from './offset-clock.ts';
export { type PollResult, PollTimer } from './poll-timer.ts';
export { RepeatedWork } from './repeated-work.ts';
export { SeqWaiters } from './seq-waiters.ts';
export { SerialQueue } from './serial-queue.ts';
export { Shutdown } from './shutdown.ts';
export { limitTime, sleep, withinTime } from './sleep.ts';
export { codeOf, messageOf } from './thrown.ts';
export { poll, type WaitOptions, waitFor } from './wait-for.ts';
