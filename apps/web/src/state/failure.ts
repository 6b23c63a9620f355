// A failed read or action as the page shows it: what went wrong, what to do, and the request id for the operator.
import { codeOf } from '@presage/runtime';
import { PresageApiError, PresageConnectionError } from '@presage/sdk';

export interface Failure {
  readonly message: string;
  readonly remedy: string | undefined;
  readonly requestId: string | undefined;
}

/** What wallets answer when the user says no. */
const USER_REFUSED = 4001;

export function toFailure(error: unknown): Failure {
  if (error instanceof PresageApiError) {
    return { message: error.message, remedy: error.remedy, requestId: error.requestId };
  }
  if (isRefusal(error)) return plain('You did not sign. Nothing was sent');
  if (error instanceof PresageConnectionError) {
    return plain('The service does not answer', 'The page keeps trying by itself.');
  }
  return plain(error instanceof Error ? error.message : String(error));
}

export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === USER_REFUSED || code === 'ACTION_REJECTED';
}

function plain(message: string, remedy?: string): Failure {
  return { message, remedy, requestId: undefined };
}
