// A failed read or action as the page shows it: what went wrong, what to do, and the request id for the operator.
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
