// Subscriptions and polled filters of clients: new heads, logs (and their removal in a reorg) and pending transactions.
import { randomBytes } from 'node:crypto';
import type { Hex } from '@presage/protocol';
import type { LedgerBlock } from '../ledger.ts';
import type { ChainListener, ChainReader, SandboxChain } from '../sandbox-chain.ts';
import { type Log, type LogFilter, matchesLog, parseLogFilter } from './log-filter.ts';
import type { RpcMethod } from './presage-methods.ts';
import { RpcError, rpcCode } from './rpc-error.ts';

type Subscription =
  | { readonly kind: 'newHeads' | 'newPendingTransactions' }
  | { readonly kind: 'logs'; readonly filter: LogFilter };

/** Fields of a block that its header does not have. */
const NOT_IN_HEADER = new Set(['transactions', 'uncles', 'size', 'totalDifficulty', 'withdrawals']);

export class Subscriptions implements ChainListener {
  readonly #notify: (id: string, result: unknown) => void;
  readonly #active = new Map<string, Subscription>();

  constructor(notify: (id: string, result: unknown) => void) {
    this.#notify = notify;
  }

  get subscriptionCount(): number {
    return this.#active.size;
  }

  subscribe(params: readonly unknown[]): string {
    const subscription = parseSubscription(params);
    const id = `0x${randomBytes(16).toString('hex')}`;
    this.#active.set(id, subscription);
    return id;
  }

  unsubscribe(id: unknown): boolean {
    return typeof id === 'string' && this.#active.delete(id);
  }

  async leaving(blocks: readonly LedgerBlock[], node: ChainReader): Promise<void> {
    for (const block of blocks.toReversed()) await this.#sendLogs(block.hash, node, true);
  }

  async arrived(blocks: readonly LedgerBlock[], node: ChainReader): Promise<void> {
    for (const { hash } of blocks) {
      await this.#sendHead(hash, node);
      await this.#sendLogs(hash, node, false);
    }
  }

  waiting(hash: Hex): void {
    for (const [id] of this.#of('newPendingTransactions')) this.#notify(id, hash);
  }

  async #sendHead(hash: Hex, node: ChainReader): Promise<void> {
    const subscribed = this.#of('newHeads');
    if (subscribed.length === 0) return;
    const block = await node.request('eth_getBlockByHash', [hash, false]);
    const header = Object.fromEntries(Object.entries(block ?? {}).filter(([name]) => !NOT_IN_HEADER.has(name)));
    for (const [id] of subscribed) this.#notify(id, header);
  }

  async #sendLogs(hash: Hex, node: ChainReader, removed: boolean): Promise<void> {
    const subscribed = this.#of('logs');
    if (subscribed.length === 0) return;
    // Typed as the specification of this method says.
    const logs = (await node.request('eth_getLogs', [{ blockHash: hash }])) as Log[];
    for (const [id, subscription] of subscribed) {
      if (subscription.kind !== 'logs') continue;
      const wanted = logs.filter((log) => matchesLog(log, subscription.filter));
      for (const log of wanted) this.#notify(id, { ...log, removed });
    }
  }

  #of(kind: Subscription['kind']): [string, Subscription][] {
    return [...this.#active].filter(([, subscription]) => subscription.kind === kind);
  }
}

function parseSubscription([kind, filter]: readonly unknown[]): Subscription {
  if (kind === 'newHeads' || kind === 'newPendingTransactions') return { kind };
  if (kind === 'logs') return { kind, filter: parseLogFilter(filter ?? {}) };
  throw new RpcError(rpcCode.methodNotFound, `no "${String(kind)}" subscription in eth namespace`);
}

/** A filter is removed if it is not polled for this long, as in geth. */
const FORGOTTEN_AFTER_MS = 300_000;
const MAX_FILTERS = 200;

interface Filter {
  /** The query for eth_getFilterLogs, which only log filters support. */
  readonly query: unknown;
  changes: unknown[];
  polledAtMs: number;
}

/**
 * Filters of eth_newFilter and similar methods, for clients without a WebSocket. Kept here instead of in the node, so
 * that a reorg reports removed logs.
 */
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

/** A block filter returns hashes where a subscription sends headers. */
function toChange(result: unknown): unknown {
  const isHeader = typeof result === 'object' && result !== null && 'parentHash' in result && 'hash' in result;
  return isHeader ? result.hash : result;
}
