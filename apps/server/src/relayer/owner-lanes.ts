// Lets one relayed call at a time pass per wallet and contract: their nonces would not allow two, and the second cannot be simulated.
import { PresageError } from '@presage/protocol';

export type Leave = () => void;

export class OwnerLanes {
  /** Last waiting call of each lane; a lane without an entry is free. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves when all earlier calls have left all of the lanes; throws relayer_busy after the timeout. */
  async enter(keys: readonly string[], timeoutMs: number): Promise<Leave> {
    const until = Date.now() + timeoutMs;
    const left: Leave[] = [];
    const leave = () => {
      for (const one of left) one();
    };
    // Lanes are entered in sorted order: otherwise two calls that need the same two lanes could wait for each other.
    for (const key of [...new Set(keys)].sort()) {
      const place = this.#join(key);
      left.push(place.leave);
      if (await settlesBy(place.before, until)) continue;
      leave();
      throw new PresageError('relayer_busy');
    }
    return leave;
  }

  #join(key: string): { before: Promise<void>; leave: Leave } {
    const before = this.#tails.get(key) ?? Promise.resolve();
    let leave: Leave = () => undefined;
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const tail = before.then(() => mine);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return { before, leave };
  }
}

/** Whether the promise settles before the time. */
export async function settlesBy(promise: Promise<unknown>, untilMs: number): Promise<boolean> {
  if (untilMs === Number.POSITIVE_INFINITY) return promise.then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, untilMs - Date.now()));
  });
  try {
    return await Promise.race([promise.then(() => true as const), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
