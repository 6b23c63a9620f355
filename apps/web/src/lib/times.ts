// Formats times and durations in UTC, by which markets close, or in the visitor's local time.

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** `06:12`, `1:06:12` or `12 d 4 h`. */
export function countdown(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds));
  if (left >= 2 * DAY) return `${Math.floor(left / DAY)} d ${Math.floor((left % DAY) / HOUR)} h`;
  const clock = `${two(Math.floor((left % HOUR) / MINUTE))}:${two(left % MINUTE)}`;
  return left >= HOUR ? `${Math.floor(left / HOUR)}:${clock}` : clock;
}

/** The duration in words, for screen readers. */
export function spokenDuration(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds));
  const parts = [
    [Math.floor(left / DAY), 'day'],
    [Math.floor((left % DAY) / HOUR), 'hour'],
    [Math.floor((left % HOUR) / MINUTE), 'minute'],
    [left % MINUTE, 'second'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.length === 0
    ? 'no time'
    : shown.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' ');
}

let isLocal = false;

/** Selects local time or UTC for everything that is drawn from now on. */
export function showLocalTime(value: boolean): void {
  isLocal = value;
}

/** Seconds by which the displayed time zone is ahead of UTC at that moment. */
export function zoneShift(unixSeconds: number): number {
  return isLocal ? -new Date(unixSeconds * 1_000).getTimezoneOffset() * MINUTE : 0;
}

/** A date whose UTC fields are the displayed time. */
function toShown(unixSeconds: number): Date {
  return new Date((unixSeconds + zoneShift(unixSeconds)) * 1_000);
}

function zoneName(unixSeconds: number): string {
  if (!isLocal) return 'UTC';
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(unixSeconds * 1_000);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'local time';
}

export function clockTime(unixSeconds: number): string {
  return toShown(unixSeconds).toISOString().slice(11, 19);
}

/** `16:15`. */
export function clockMinute(unixSeconds: number): string {
  return clockTime(unixSeconds).slice(0, 5);
}

/** `16:15 UTC`. */
export function zonedMinute(unixSeconds: number): string {
  return `${clockMinute(unixSeconds)} ${zoneName(unixSeconds)}`;
}

/** `31 Dec`. */
export function dayText(unixSeconds: number): string {
  return dayFormat.format(toShown(unixSeconds));
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Distance from which a date needs its year to be unambiguous. */
const FAR = 300 * DAY;

/** `16:15 UTC` today, `31 Dec 16:15 UTC` on any other day, `31 Dec 2027 16:15 UTC` far away. */
export function drawTime(unixSeconds: number, nowSeconds: number): string {
  const dayOf = (seconds: number) => Math.floor((seconds + zoneShift(seconds)) / DAY);
  if (dayOf(unixSeconds) === dayOf(nowSeconds)) return zonedMinute(unixSeconds);
  const isFar = Math.abs(unixSeconds - nowSeconds) > FAR;
  const year = isFar ? ` ${toShown(unixSeconds).getUTCFullYear()}` : '';
  return `${dayText(unixSeconds)}${year} ${zonedMinute(unixSeconds)}`;
}

/** `29 d left`, `14 h left`, `42 min left`, `closed 3 h ago`: for cards. */
export function timeLeft(unixSeconds: number, nowSeconds: number): string {
  const left = unixSeconds - nowSeconds;
  return left > 0 ? `${inOneUnit(left)} left` : `closed ${inOneUnit(-left)} ago`;
}

/** `4 min ago`, `just now`. */
export function timeAgo(unixSeconds: number, nowSeconds: number): string {
  const seconds = nowSeconds - unixSeconds;
  return seconds < MINUTE ? 'just now' : `${inOneUnit(seconds)} ago`;
}

export function isClosingSoon(unixSeconds: number, nowSeconds: number): boolean {
  const left = unixSeconds - nowSeconds;
  return left > 0 && left < HOUR;
}

function inOneUnit(seconds: number): string {
  if (seconds >= 2 * DAY) return `${Math.floor(seconds / DAY)} d`;
  if (seconds >= HOUR) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.max(1, Math.floor(seconds / MINUTE))} min`;
}
