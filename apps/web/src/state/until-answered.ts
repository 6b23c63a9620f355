// Repeats a request about an order or a claim until it is answered: a lost answer leaves its outcome unknown.
import { sleep } from '@presage/runtime';
import { PresageApiError, PresageConnectionError } from '@presage/sdk';

export const AGAIN_MS = 2_000;

/** Temporary refusals that still prove that the order was not placed: the service looks for a known order before it refuses. */
const ABOUT_ORDERS: ReadonlySet<string> = new Set([
  'exchange_halted',
  'market_paused',
  'admission_unavailable',
  'price_unavailable',
  'chain_unavailable',
]);

/** Whether the order may have been placed after all: there was no answer, or one that does not tell. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof PresageApiError) return error.retryable && !ABOUT_ORDERS.has(error.code);
  return error instanceof PresageConnectionError;
}

/** Repeats a request until its answer is conclusive. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
    }
    await sleep(AGAIN_MS);
  }
}
