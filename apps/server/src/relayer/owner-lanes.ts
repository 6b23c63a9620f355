// One relayed call at a time for each wallet and contract: their nonces would not allow two, and the second cannot be simulated.
import { PresageError } from '@presage/protocol';

export type Leave = () => void;

export class OwnerLanes {
  /** The end of each line; a lane without one is free. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves when everybody before has left every one of the lanes; throws relayer_busy when the time is up. */
  async enter(keys: readonly string[], timeoutMs: number): Promise<Leave> {
    const until = Date.now() + timeoutMs;
    const left: Leave[] = [];
    const leave = () => {
      for (const one of left) one();
    };
    // In one order for everybody, or two that need the same two lanes would wait for each other.
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

/** False when the time comes first. */
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
