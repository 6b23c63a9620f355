// A failed read or action as the page shows it: what went wrong, what to do, and the request id for the operator.
import { isObject } from '@presage/protocol/browser';
import { codeOf } from '@presage/runtime';
import { PresageApiError, PresageConnectionError } from '@presage/sdk';

export interface Failure {
  readonly message: string;
  readonly remedy: string | undefined;
  readonly requestId: string | undefined;
}

/** EIP-1193 error code of a request that the user rejected. */
const USER_REFUSED = 4001;

/** The service answers, but cannot reach the chain. */
export function isChainAway(error: unknown): boolean {
  return error instanceof PresageApiError && CHAIN_AWAY.has(error.code);
}

const CHAIN_AWAY: ReadonlySet<string> = new Set(['chain_unavailable', 'chain_sync_unavailable']);

export function toFailure(error: unknown): Failure {
  // The details of the failure are for the operator, not for the visitor.
  if (error instanceof PresageApiError && isChainAway(error)) {
    return {
      message: 'The chain cannot be reached',
      remedy: 'Orders still match. The page keeps trying by itself.',
      requestId: error.requestId,
    };
  }
  if (error instanceof PresageApiError) {
    return { message: error.message, remedy: error.remedy, requestId: error.requestId };
  }
  if (isRefusal(error)) return plain('You did not sign. Nothing was sent');
  if (error instanceof PresageConnectionError) {
    return plain('The service does not answer', 'The page keeps trying by itself.');
  }
  return plain(textOf(error) || 'It failed, and no reason was given');
}

/** Text of any thrown value, since wallets throw objects that are not errors. Drops the final period: the caller ends the sentence. */
function textOf(error: unknown): string {
  const text = isObject(error) ? error.message : error;
  return typeof text === 'string' ? text.trim().replace(/\.$/, '') : '';
}

/** Whether the same read may succeed later. */
export function mayPass(error: unknown): boolean {
  return error instanceof PresageApiError ? error.retryable : error instanceof PresageConnectionError;
}

export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === USER_REFUSED || code === 'ACTION_REJECTED';
}

function plain(message: string, remedy?: string): Failure {
  return { message, remedy, requestId: undefined };
}
