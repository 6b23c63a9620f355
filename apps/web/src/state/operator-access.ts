// The operator's key, in memory only: a reload asks for it again. A sandbox gives its own.
import type { ApiKey, OperatorKey } from '@presage/sdk';
import { createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { Store } from './store.ts';

interface OpenedOperator {
  readonly client: OperatorClient;
  readonly key: OperatorKey;
  readonly apiKey: ApiKey;
}

/** The id of a key follows from its public half. */
const KEY_ID = /^op_[0-9a-f]{24}$/;
const SEED = /^[0-9a-f]{64}$/i;

class OperatorAccess {
  readonly opened = new Store<OpenedOperator | undefined>(undefined);
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Where and with which key the opened operator calls. */
  caller(): { readonly url: string; readonly operatorKey?: ApiKey } {
    const { apiKey } = this.opened.get() ?? {};
    return { url: this.#url, ...(apiKey && { operatorKey: apiKey }) };
  }

  /** Rejects where the service does not know the key. */
  async open(key: ApiKey): Promise<void> {
    const client = createOperatorClient({ url: this.#url, key });
    this.opened.set({ client, key: await client.getOperator(), apiKey: key });
  }

  close(): void {
    this.opened.set(undefined);
  }
}

/** One for all visits to the operator's screen, which alone loads it. */
export const operatorAccess = new OperatorAccess(location.origin);

/** What a person pastes: `op_... <64 hex digits>`; undefined where it is not that. */
export function parseOperatorKey(text: string): ApiKey | undefined {
  const [id = '', privateKey = ''] = text.trim().split(/[\s:]+/);
  return KEY_ID.test(id) && SEED.test(privateKey) ? { id, privateKey: privateKey.toLowerCase() } : undefined;
}
