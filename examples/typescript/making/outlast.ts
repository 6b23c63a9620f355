// What the makers share: lines of JSON, and going on after a restart of the service or a cut connection.
import { setTimeout as sleep } from 'node:timers/promises';
import { PresageApiError, PresageConnectionError } from '@presage/sdk';

const AGAIN_MS = 1_000;
/** A budget of the relayer takes longer: markets are not left alone for that. */
const LONGEST_WAIT_MS = 60_000;

export function say(event: string, fields: object): void {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
}

/** Repeats work until the service answers it, so only work that may be done twice; says so when the wait begins and when it is over. */
export async function outlast<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      const result = await work();
      if (tries > 0) say('reached', {});
      return result;
    } catch (error) {
      const waitMs = waitOf(error);
      if (waitMs === undefined) throw error;
      if (tries === 0) say('waiting', { error: (error as Error).message });
      await sleep(waitMs);
    }
  }
}

/** Undefined where the same work would fail again. */
function waitOf(error: unknown): number | undefined {
  if (error instanceof PresageConnectionError) return AGAIN_MS;
  if (!(error instanceof PresageApiError) || !error.retryable) return undefined;
  const { retryAfterMs = AGAIN_MS } = error;
  return retryAfterMs > LONGEST_WAIT_MS ? undefined : Math.max(retryAfterMs, AGAIN_MS);
}
