// Shared by the market makers: output as lines of JSON, and retries through a restart of the service or a lost connection.
import { setTimeout as sleep } from 'node:timers/promises';
import { PresageApiError, PresageConnectionError } from '@presage/sdk';

const AGAIN_MS = 1_000;
/** Longest wait for a retry. An exhausted budget of the relayer takes longer: a maker does not leave its markets for that. */
const LONGEST_WAIT_MS = 60_000;

export function say(event: string, fields: object): void {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
}

/** Repeats work until the service answers, so pass only work that may be done twice. Reports when a wait begins and ends. */
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

/** Delay before a retry; undefined if the same work would fail again. */
function waitOf(error: unknown): number | undefined {
  if (error instanceof PresageConnectionError) return AGAIN_MS;
  if (!(error instanceof PresageApiError) || !error.retryable) return undefined;
  const { retryAfterMs = AGAIN_MS } = error;
  return retryAfterMs > LONGEST_WAIT_MS ? undefined : Math.max(retryAfterMs, AGAIN_MS);
}
