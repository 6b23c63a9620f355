// Asks a service, and asks again while it says that it is busy, as every client should.
import { parseJson } from '@presage/protocol';
import { codeOf, sleep } from '@presage/runtime';

/** Nothing has happened when a service answers one of these: the request may be repeated, whatever it asks for. */
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
  // The caller names the type that the API's documentation gives the answer.
  return parseJson(text) as T;
}

function isBusy({ status, headers, text }: RawAnswer): boolean {
  return status === 503 && isJson(headers) && BUSY_CODES.has(codeOf(parseJson(text)));
}

export function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.includes('json') ?? false;
}
