// eth_newFilter and the like: what clients without a WebSocket poll for, kept here so that a reorg shows as removed logs.

import type { SandboxChain } from '../sandbox-chain.ts';
import type { RpcMethod } from './presage-methods.ts';
import { RpcError, rpcCode } from './rpc-error.ts';
import { Subscriptions } from './subscriptions.ts';

/** A filter that is not polled for so long is removed, as in geth. */
const FORGOTTEN_AFTER_MS = 300_000;
const MAX_FILTERS = 200;

interface Filter {
  /** For eth_getFilterLogs, which only log filters have. */
  readonly query: unknown;
  changes: unknown[];
  polledAtMs: number;
}

export class LogFilters {
  readonly #chain: SandboxChain;
  readonly #filters = new Map<string, Filter>();
  readonly #subscriptions = new Subscriptions((id, result) => this.#filters.get(id)?.changes.push(toChange(result)));

  constructor(chain: SandboxChain) {
    this.#chain = chain;
    chain.listen(this.#subscriptions);
  }

  methods(): Record<string, RpcMethod> {
    return {
      eth_newFilter: async ([query]) => this.#add(['logs', query], query ?? {}),
      eth_newBlockFilter: async () => this.#add(['newHeads']),
      eth_newPendingTransactionFilter: async () => this.#add(['newPendingTransactions']),
      eth_getFilterChanges: async ([id]) => this.#find(id).changes.splice(0),
      eth_getFilterLogs: async ([id]) => {
        const { query } = this.#find(id);
        if (query === undefined) throw new RpcError(rpcCode.server, 'filter not found');
        return this.#chain.ask('eth_getLogs', [query]);
      },
      eth_uninstallFilter: async ([id]) => this.#remove(id),
    };
  }

  #add(params: readonly unknown[], query?: unknown): string {
    const now = performance.now();
    for (const [id, { polledAtMs }] of this.#filters) if (now - polledAtMs > FORGOTTEN_AFTER_MS) this.#remove(id);
    if (this.#filters.size >= MAX_FILTERS) throw new RpcError(rpcCode.limitExceeded, 'too many filters');
    const id = this.#subscriptions.subscribe(params);
    this.#filters.set(id, { query, changes: [], polledAtMs: now });
    return id;
  }

  #find(id: unknown): Filter {
    const filter = typeof id === 'string' ? this.#filters.get(id) : undefined;
    if (!filter) throw new RpcError(rpcCode.server, 'filter not found');
    filter.polledAtMs = performance.now();
    return filter;
  }

  #remove(id: unknown): boolean {
    return this.#subscriptions.unsubscribe(id) && this.#filters.delete(String(id));
  }
}

/** A block filter answers hashes where a subscription sends headers. */
function toChange(result: unknown): unknown {
  const isHeader = typeof result === 'object' && result !== null && 'parentHash' in result && 'hash' in result;
  return isHeader ? result.hash : result;
}
