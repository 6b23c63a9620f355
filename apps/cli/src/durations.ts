// Parses and formats durations and times.
import { UsageError } from './exit-codes.ts';

const DURATION = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/;
const SECONDS = [86_400, 3_600, 60, 1];
const LONGEST_SECONDS = 315_360_000;

/** Parses `2h`, `90s`, `1d12h` or `45` (seconds) to whole seconds. */
export function parseDuration(text: string): number {
  const parts = DURATION.exec(text);
  const seconds = (parts ?? []).slice(1).reduce((sum, part, at) => sum + Number(part ?? 0) * SECONDS[at]!, 0);
  if (parts === null || seconds < 1 || seconds > LONGEST_SECONDS) {
    throw new UsageError(`"${text}" is not a duration`, 'Write it like 90s, 15m, 2h or 1d12h; at most ten years.');
  }
  return seconds;
}

/** Parses `2026-01-31` (midnight UTC at its start), `2026-01-31T12:30:00Z` or Unix seconds to Unix seconds. */
export function parseTime(option: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || ms < 0 || !isDay(text.slice(0, 10))) {
    throw new UsageError(
      `${option}: "${text}" is not a time`,
      'Write it like 2026-01-31 or 2026-01-31T12:30:00Z, in UTC.',
    );
  }
  return ms / 1_000;
}

/** Refuses the 31st of February, which `Date` would take for a day in March. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text);
}

/** Formats the two largest units: `1d 4h`. */
export function drawDuration(seconds: number): string {
  const sizes = SECONDS.map((size, at) => {
    const whole = Math.floor((at === 0 ? seconds : seconds % SECONDS[at - 1]!) / size);
    return whole === 0 ? '' : `${whole}${'dhms'[at]}`;
  });
  return sizes.filter(Boolean).slice(0, 2).join(' ') || '0s';
}

/** Time in UTC, to the second. */
export function drawTime(unixSeconds: number | bigint): string {
  return drawTimeMs(Number(unixSeconds) * 1_000).slice(0, 19);
}

/** Time in UTC, to the millisecond. */
export function drawTimeMs(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().replace('T', ' ').replace('Z', '');
}
