// What a client wants to be told: new heads, logs (and their removal in a reorg) and waiting transactions.
import { randomBytes } from 'node:crypto';
import type { Hex } from '@presage/protocol';
import type { EdrNode } from './edr-node.ts';
import type { LedgerBlock } from './ledger.ts';
import { RpcError, rpcCode } from './rpc-error.ts';
import type { ChainListener } from './sandbox-chain.ts';

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
}

interface LogFilter {
  readonly addresses: ReadonlySet<string> | undefined;
  readonly topics: readonly (ReadonlySet<string> | undefined)[];
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

  async leaving(blocks: readonly LedgerBlock[], node: EdrNode): Promise<void> {
    for (const block of blocks.toReversed()) await this.#sendLogs(block.hash, node, true);
  }

  async arrived(blocks: readonly LedgerBlock[], node: EdrNode): Promise<void> {
    for (const { hash } of blocks) {
      await this.#sendHead(hash, node);
      await this.#sendLogs(hash, node, false);
    }
  }

  waiting(hash: Hex): void {
    for (const [id] of this.#of('newPendingTransactions')) this.#notify(id, hash);
  }

  async #sendHead(hash: Hex, node: EdrNode): Promise<void> {
    const subscribed = this.#of('newHeads');
    if (subscribed.length === 0) return;
    const block = (await node.request('eth_getBlockByHash', [hash, false])) as Record<string, unknown>;
    const header = Object.fromEntries(Object.entries(block).filter(([name]) => !NOT_IN_HEADER.has(name)));
    for (const [id] of subscribed) this.#notify(id, header);
  }

  async #sendLogs(hash: Hex, node: EdrNode, removed: boolean): Promise<void> {
    const subscribed = this.#of('logs');
    if (subscribed.length === 0) return;
    const logs = (await node.request('eth_getLogs', [{ blockHash: hash }])) as Log[];
    for (const [id, subscription] of subscribed) {
      if (subscription.kind !== 'logs') continue;
      const wanted = logs.filter((log) => matches(log, subscription.filter));
      for (const log of wanted) this.#notify(id, { ...log, removed });
    }
  }

  #of(kind: Subscription['kind']): [string, Subscription][] {
    return [...this.#active].filter(([, subscription]) => subscription.kind === kind);
  }
}

function parseSubscription([kind, filter]: readonly unknown[]): Subscription {
  if (kind === 'newHeads' || kind === 'newPendingTransactions') return { kind };
  if (kind === 'logs') return { kind, filter: parseFilter(filter ?? {}) };
  throw new RpcError(rpcCode.methodNotFound, `no "${String(kind)}" subscription in eth namespace`);
}

function parseFilter(filter: unknown): LogFilter {
  if (typeof filter !== 'object' || filter === null) throw invalid('the log filter must be an object');
  const { address, topics = [] } = filter as { address?: unknown; topics?: unknown };
  if (!Array.isArray(topics) || topics.length > 4) throw invalid('topics must be an array of at most four');
  return { addresses: parseChoice(address), topics: topics.map(parseChoice) };
}

/** One value, any of several, or anything at all. */
function parseChoice(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || value === null) return undefined;
  const choices: unknown[] = Array.isArray(value) ? value : [value];
  if (choices.length === 0) return undefined;
  if (choices.every((choice) => typeof choice === 'string')) {
    return new Set(choices.map((choice) => choice.toLowerCase()));
  }
  throw invalid('addresses and topics must be hexadecimal strings');
}

function matches(log: Log, filter: LogFilter): boolean {
  if (filter.addresses && !filter.addresses.has(log.address.toLowerCase())) return false;
  return filter.topics.every((choice, index) => !choice || choice.has(log.topics[index]?.toLowerCase() ?? ''));
}

function invalid(message: string): RpcError {
  return new RpcError(rpcCode.invalidParams, message);
}
