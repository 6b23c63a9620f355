// Reads what a service answers with JSON.
import { parseJson } from '@presage/protocol';

export async function readJson<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  // The caller names the type that the API's documentation gives the answer.
  return parseJson(text) as T;
}
