// Reads JSON from a service and retries while it is busy, as every client should.
import { parseJson } from '@presage/protocol';
import { codeOf, sleep } from '@presage/runtime';

/** Refusals after which nothing has happened: any request may be repeated. */
const BUSY_CODES = new Set<unknown>(['overloaded', 'view_behind']);
const BUSY_TRIES = 60;
const RETRY_AFTER_MS = 500;

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export async function askWhileBusy(url: string, init?: RequestInit): Promise<RawAnswer> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, init);
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    if (!isBusy(answer) || tries === BUSY_TRIES) return answer;
    await sleep(RETRY_AFTER_MS);
  }
}

export async function readJson<T>(url: string, init?: RequestInit): Promise<T> {
  const { status, text } = await askWhileBusy(url, init);
  if (status < 200 || status > 299) throw new Error(`${url} answered ${status}: ${text}`);
  // The caller names the answer's type, as the API documentation defines it.
  return parseJson(text) as T;
}

function isBusy({ status, headers, text }: RawAnswer): boolean {
  return status === 503 && isJson(headers) && BUSY_CODES.has(codeOf(parseJson(text)));
}

export function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.includes('json') ?? false;
}
