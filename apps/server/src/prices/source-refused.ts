// A source refused a request: its status, and how long it asks to wait.

export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
  readonly status: number;
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs = 0) {
    super(`refused with ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Parses Retry-After, which is seconds or a date. */
export function parseRetryAfterMs(header: string | null | undefined): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
