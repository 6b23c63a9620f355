// Error types: the service refused, it could not be reached, the input was invalid, or the transaction failed.
import type { ErrorCode, ErrorDetails } from '@presage/protocol/browser';
import { ERROR_REMEDIES } from './generated/error-remedies.ts';

/** Codes of the catalogue; a newer service may send others. */
export type ApiErrorCode = ErrorCode | (string & {});

/** The body of a refusal as the service sends it. */
export interface Refusal {
  readonly error: string;
  readonly code: ApiErrorCode;
  readonly details?: ErrorDetails;
  readonly requestId?: string;
}

let remedies = ERROR_REMEDIES;

/** Adds the remedies of further endpoints, which clients of traders do not load. */
export function addRemedies(more: typeof ERROR_REMEDIES): void {
  remedies = { ...remedies, ...more };
}

/** The service refused the request. `message` is its sentence, `remedy` says what to do about it. */
export class PresageApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** Quote it when you report a problem to the operator. */
  readonly requestId: string | undefined;
  readonly details: ErrorDetails | undefined;
  readonly remedy: string | undefined;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, refusal: Refusal, retryAfterMs?: number) {
    const [, isRetryable, remedy] = remedies[refusal.code] ?? [];
    super(refusal.error);
    this.name = 'PresageApiError';
    this.code = refusal.code;
    this.status = status;
    this.retryable = isRetryable === undefined ? status === 429 || status >= 500 : isRetryable === 1;
    this.requestId = refusal.requestId;
    this.details = refusal.details;
    this.remedy = remedy;
    this.retryAfterMs = retryAfterMs;
  }

  /** The refusal of one item of a batch, with the status that the catalogue gives its code. */
  static ofCode(refusal: Refusal): PresageApiError {
    return new PresageApiError(remedies[refusal.code]?.[0] ?? 400, refusal);
  }
}

/** No response: the service could not be reached, or the connection broke. Whether a write was executed is unknown. */
export class PresageConnectionError extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what}: ${reasonOf(cause)}`, { cause });
    this.name = 'PresageConnectionError';
  }
}

/** Node's fetch only says that it failed; the reason is in the error's `cause`. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error && cause.cause.message ? reasonOf(cause.cause) : cause.message;
}

/** Refused by the SDK, before anything was signed or sent. */
export class PresageInputError extends Error {
  readonly field: string;
  readonly expected: string;

  constructor(field: string, expected: string, got?: unknown) {
    super(`${field} must be ${expected}${got === undefined ? '' : `: got ${String(got)}`}`);
    this.name = 'PresageInputError';
    this.field = field;
    this.expected = expected;
  }
}

/** The operator sent the transaction, and it failed on chain. */
export class PresageTransactionError extends Error {
  readonly txHash: string;
  readonly reason: string;

  constructor(txHash: string, reason: string | null) {
    super(`transaction ${txHash} failed: ${reason ?? 'reason unknown'}`);
    this.name = 'PresageTransactionError';
    this.txHash = txHash;
    this.reason = reason ?? '';
  }
}
