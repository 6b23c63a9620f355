// Watches the chain for changes of the means of known wallets: transfers, approvals, deposits, nonces cancelled on chain.
import { setTimeout as sleep } from 'node:timers/promises';
import { type LogFilter, LogWatcher, type WatchedBlock, type WatchedLog } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import { asHex, type Hex, toLowerHex } from '@presage/protocol';
import { decodeEventLog, pad, toEventSelector } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import type { CoverKeeper } from './cover-keeper.ts';
import type { KnownWallets } from './known-wallets.ts';
import type { Wallet } from './wallet.ts';

export interface WalletWatchOptions {
  readonly wallets: KnownWallets;
  /** Judges wallets whose holdings or allowances have changed. */
  readonly keeper: Pick<CoverKeeper, 'judge'>;
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const APPROVAL = toEventSelector('Approval(address,address,uint256)');
const TRANSFER_SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const TRANSFER_BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');
const APPROVAL_FOR_ALL = toEventSelector('ApprovalForAll(address,address,bool)');
const DEPOSITED = toEventSelector('Deposited(address,address,uint256)');
const WITHDRAWN = toEventSelector('Withdrawn(address,address,uint256)');
const CANCEL_REQUESTED = toEventSelector('OrderCancelRequested(address,bytes32,uint64,uint64)');
/** Limit of wallets in a filter, since nodes refuse filters with very many alternatives. */
const WALLETS_PER_FILTER = 500;
const ADDRESS_DIGITS = 40;
/** Pause until settlement has seen which of its transactions left the chain: their proceeds count as money to come by then. */
const JUDGED_AFTER_POLLS = 10;

export class WalletWatch {
  readonly #context: ChainContext;
  readonly #options: WalletWatchOptions;
  #watcher: LogWatcher | undefined;
  #filters: readonly LogFilter[] = [];
  #revision = -1;
  #isClosed = false;
  #judging: NodeJS.Timeout | undefined;

  constructor(context: ChainContext, options: WalletWatchOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Watches from the newest block on; earlier changes are in the wallets' readings. */
  async start(): Promise<void> {
    const { rpc, node, pollMs, idleMs } = this.#context;
    const fromBlock = await this.#findHead();
    if (fromBlock === undefined || this.#isClosed) return;
    this.#watcher = new LogWatcher({
      rpc,
      node,
      pollMs,
      idleMs,
      onTrouble: this.#onTrouble,
      fromBlock,
      filters: () => this.#currentFilters(),
      onBlock: (block) => this.#onBlock(block),
      onRewind: () => this.#onRewind(),
      onTooDeep: () => this.#startOver(),
    });
    this.#watcher.start();
  }

  /** Judges all wallets, after a start or a rewind, once settlement knows which of its transactions are on the chain. */
  judgeAll(): void {
    if (this.#isClosed) return;
    const { wallets, keeper } = this.#options;
    clearTimeout(this.#judging);
    this.#judging = setTimeout(() => {
      this.#judging = undefined;
      keeper.judge(wallets.all());
    }, this.#context.pollMs * JUDGED_AFTER_POLLS);
  }

  /** Called when the chain has a new head. */
  wake(): void {
    this.#watcher?.wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#judging);
    await this.#watcher?.close();
  }

  async #findHead(): Promise<number | undefined> {
    const { node, pollMs } = this.#context;
    while (!this.#isClosed) {
      try {
        return (await node.head()).number;
      } catch (error) {
        this.#onTrouble(error);
        await sleep(pollMs, undefined, { ref: false });
      }
    }
    return undefined;
  }

  #onBlock({ logs }: WatchedBlock): void {
    const changed = new Set<Wallet>();
    for (const log of logs) {
      for (const wallet of this.#walletsIn(log)) changed.add(wallet);
      if (log.topics[0] === CANCEL_REQUESTED) this.#noteCancel(log);
    }
    // Where all are to be judged, what a block says of some of them must not have these judged before.
    if (changed.size > 0 && this.#judging === undefined) this.#options.keeper.judge([...changed]);
  }

  /** Judges all wallets, since anything may have been undone. */
  #onRewind(): void {
    for (const wallet of this.#options.wallets.all()) wallet.forgetUsedNonces();
    this.judgeAll();
  }

  #startOver(): void {
    this.#onRewind();
    this.start().catch(this.#onTrouble);
  }

  readonly #onTrouble = (error: unknown): void =>
    this.#context.log.warn({ error: String(error) }, 'wallets could not be watched; retrying');

  #walletsIn({ topics }: WatchedLog): Wallet[] {
    const addresses = topics.slice(1).map((topic) => `0x${topic.slice(-ADDRESS_DIGITS)}` as const);
    const found = addresses.map((address) => this.#options.wallets.get(address));
    return found.filter((wallet) => wallet !== undefined);
  }

  #noteCancel({ topics, data }: WatchedLog): void {
    const { args } = decodeEventLog({
      abi: presageSettlementAbi,
      eventName: 'OrderCancelRequested',
      data,
      topics: [asHex(topics[0]), ...topics.slice(1)],
    });
    const { trader, marketId, nonce } = args;
    this.#options.wallets.get(toLowerHex(trader))?.noteUsedNonce(marketId, nonce);
  }

  #currentFilters(): readonly LogFilter[] {
    const { wallets } = this.#options;
    if (wallets.revision === this.#revision) return this.#filters;
    this.#revision = wallets.revision;
    this.#filters = this.#toFilters(wallets.addresses().map((address) => pad(address)));
    return this.#filters;
  }

  /** One filter per topic position, since events have the wallet in different ones. */
  #toFilters(topics: readonly Hex[]): LogFilter[] {
    const { stablecoin, conditionalTokens, settlement } = this.#context.chain.contracts;
    const tokens = [stablecoin, conditionalTokens];
    const filters: LogFilter[] = [];
    for (let from = 0; from < topics.length; from += WALLETS_PER_FILTER) {
      const some = topics.slice(from, from + WALLETS_PER_FILTER);
      const first = [TRANSFER, APPROVAL, APPROVAL_FOR_ALL, CANCEL_REQUESTED, DEPOSITED, WITHDRAWN];
      filters.push(
        { addresses: [...tokens, settlement], topics: [first, some] },
        { addresses: tokens, topics: [[TRANSFER, TRANSFER_SINGLE, TRANSFER_BATCH], null, some] },
        { addresses: [conditionalTokens], topics: [[TRANSFER_SINGLE, TRANSFER_BATCH], null, null, some] },
      );
    }
    return filters;
  }
}
