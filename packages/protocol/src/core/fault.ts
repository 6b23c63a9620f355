// A refusal as a value: a code of the catalogue and the details a person needs to fix the request.
import type { ErrorCode, ErrorDetails } from './errors.ts';

export interface Fault {
  readonly code: ErrorCode;
  readonly details?: ErrorDetails;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };
