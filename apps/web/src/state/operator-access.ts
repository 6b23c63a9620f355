// The operator's key, in memory only, so a reload asks for it again. A sandbox provides its own key.
import type { ApiKey, OperatorKey } from '@presage/sdk';
import { createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { Store } from './store.ts';

interface OpenedOperator {
  readonly client: OperatorClient;
  readonly key: OperatorKey;
  readonly apiKey: ApiKey;
}

/** Format of a key's id, which is derived from its public half. */
const KEY_ID = /^op_[0-9a-f]{24}$/;
const SEED = /^[0-9a-f]{64}$/i;

class OperatorAccess {
  readonly opened = new Store<OpenedOperator | undefined>(undefined);
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Address and key for calls of the opened operator. */
  caller(): { readonly url: string; readonly operatorKey?: ApiKey } {
    const { apiKey } = this.opened.get() ?? {};
    return { url: this.#url, ...(apiKey && { operatorKey: apiKey }) };
  }

  /** Rejects if the service does not know the key. */
  async open(key: ApiKey): Promise<void> {
    const client = createOperatorClient({ url: this.#url, key });
    this.opened.set({ client, key: await client.getOperator(), apiKey: key });
  }

  close(): void {
    this.opened.set(undefined);
  }
}

/** Shared by all visits to the operator's screen, the only one that loads this module. */
export const operatorAccess = new OperatorAccess(location.origin);

/** Parses a pasted key, `op_... <64 hex digits>`; undefined if it has another format. */
export function parseOperatorKey(text: string): ApiKey | undefined {
  const [id = '', privateKey = ''] = text.trim().split(/[\s:]+/);
  return KEY_ID.test(id) && SEED.test(privateKey) ? { id, privateKey: privateKey.toLowerCase() } : undefined;
}
