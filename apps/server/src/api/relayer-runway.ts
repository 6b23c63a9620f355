// How long the relayer's balance lasts, by what it was seen to spend since the start, over a day at most.
import { DAY_MS } from '@presage/protocol';

/** Over a shorter time a single batch would look like a spending rate. */
const LEAST_SEEN_MS = 60_000;
/** One observation a minute is enough to cover a day. */
const SPACING_MS = 60_000;

interface Observation {
  readonly atMs: number;
  readonly balance: bigint;
  /** Total spent so far; top-ups do not reduce it. */
  readonly spent: bigint;
}

export interface Runway {
  readonly spentPerDay: string | null;
  readonly daysLeft: number | null;
}

const UNKNOWN: Runway = { spentPerDay: null, daysLeft: null };

export class RelayerRunway {
  readonly #nowMs: () => number;
  /** Oldest first; the newest is kept apart until it is spaced enough. */
  readonly #kept: Observation[] = [];
  #last: Observation | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Balance in wei; null while the chain is unreachable. */
  observe(balance: string | null): Runway {
    if (balance === null) return UNKNOWN;
    const last = this.#remember(BigInt(balance));
    const first = this.#kept[0];
    if (first === undefined || last.atMs - first.atMs < LEAST_SEEN_MS) return UNKNOWN;
    const perDay = ((last.spent - first.spent) * BigInt(DAY_MS)) / BigInt(last.atMs - first.atMs);
    if (perDay === 0n) return { spentPerDay: '0', daysLeft: null };
    return { spentPerDay: perDay.toString(), daysLeft: Number((last.balance * 10n) / perDay) / 10 };
  }

  #remember(balance: bigint): Observation {
    const former = this.#last;
    const drop = former !== undefined && former.balance > balance ? former.balance - balance : 0n;
    const now = { atMs: this.#nowMs(), balance, spent: (former?.spent ?? 0n) + drop };
    this.#last = now;
    const newest = this.#kept.at(-1);
    if (newest === undefined || now.atMs - newest.atMs >= SPACING_MS) this.#kept.push(now);
    while ((this.#kept[1]?.atMs ?? Number.POSITIVE_INFINITY) <= now.atMs - DAY_MS) this.#kept.shift();
    return now;
  }
}
