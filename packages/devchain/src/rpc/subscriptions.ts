// What a client subscribes to: new heads, logs (and their removal in a reorg) and pending transactions.
import { randomBytes } from 'node:crypto';
import type { Hex } from '@presage/protocol';
import type { LedgerBlock } from '../ledger.ts';
import type { ChainListener, ChainReader } from '../sandbox-chain.ts';
import { type LogFilter, matchesLog, parseLogFilter } from './log-filter.ts';
import { RpcError, rpcCode } from './rpc-error.ts';

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
}

type Subscription =
  | { readonly kind: 'newHeads' | 'newPendingTransactions' }
  | { readonly kind: 'logs'; readonly filter: LogFilter };

/** A block header is the block without what a header does not have. */
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
    // The result that the specification gives this method.
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
