// A failed call as the page tells it: what happened, what to do, and the number to ask about.
import { PresageApiError } from '@presage/sdk';

export interface Failure {
  readonly message: string;
  readonly remedy: string | undefined;
  readonly requestId: string | undefined;
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof PresageApiError)) return { message, remedy: undefined, requestId: undefined };
  return { message, remedy: error.remedy, requestId: error.requestId };
}
