// Asks again and again what became of an order or a claim: a lost answer says nothing about it.
import { sleep } from '@presage/runtime';
import { PresageApiError, PresageConnectionError } from '@presage/sdk';

export const AGAIN_MS = 2_000;

/** Refusals that may pass, but are about the order itself: the service has looked for it before. */
const ABOUT_ORDERS: ReadonlySet<string> = new Set([
  'exchange_halted',
  'market_paused',
  'admission_unavailable',
  'price_unavailable',
  'chain_unavailable',
]);

/** Whether the order may have been placed all the same: nobody answered, or somebody who does not know. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof PresageApiError) return error.retryable && !ABOUT_ORDERS.has(error.code);
  return error instanceof PresageConnectionError;
}

/** Asks until somebody answers who knows. */
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
