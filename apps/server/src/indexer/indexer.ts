// Chain to journal: lists the markets that were created, closes those whose creation left the chain, cancels orders that were
// cancelled on chain, and has its followers write down how markets are resolved, where shares go and who stopped trading.
import { type LogCursor, type LogFilter, LogWatcher, type Rewind, type Rpc, type WatchedBlock } from '@presage/chain';
import type { MarketView, OrderView } from '@presage/engine';
import type { Address, Hex, MarketFacts, MarketId, OrderHash, RewindCause } from '@presage/protocol';
import {
  CANCEL_REQUESTED,
  type ChainPlace,
  MARKET_CREATED,
  readCancelRequests,
  readMarketsCreated,
} from './chain-facts.ts';

interface IndexerReads {
  markets(): MarketView[];
  openOrders(filter: { trader: Address; marketId: MarketId }): OrderView[];
}

export interface IndexerCommands {
  listMarket(market: MarketFacts): Promise<void>;
  closeVanished(marketId: MarketId): Promise<void>;
  cancelOnChain(marketId: MarketId, orderHash: OrderHash): Promise<void>;
}

/** Writes down what a block holds, and takes back what left the chain. */
interface BlockFollower {
  readonly filters: readonly LogFilter[];
  /** Answers whether the block held anything of its kind; durable when it resolves. */
  follow(block: WatchedBlock): Promise<boolean>;
  rewind?(toBlock: number): Promise<void>;
  /** What became known without a block; durable when it resolves. */
  catchUp?(): Promise<void>;
  /** Whether it keeps something of earlier blocks that is durable nowhere: they must be delivered again after a restart. */
  isWaiting?(block: WatchedBlock): boolean;
}

export interface IndexerOptions {
  readonly rpc: Rpc;
  readonly place: ChainPlace;
  readonly marketFactory: Hex;
  readonly fromBlock: number;
  readonly confirmations: number;
  readonly cursor?: unknown;
  /** In this order at each block. */
  readonly followers: readonly BlockFollower[];
  /** Everything above the block is void; durable when it resolves. */
  readonly noteRewind: (toBlock: number, cause: RewindCause) => Promise<void>;
  readonly reads: IndexerReads;
  readonly commands: IndexerCommands;
  /** Durable when it resolves; what was delivered after the last one is delivered again. */
  readonly saveCursor: (cursor: LogCursor) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
  readonly onTooDeep: (error: Error) => void;
  readonly pollMs?: number;
  readonly idleMs?: () => number;
}

/** An idle chain makes no cursor records; a busy one, one in this many blocks. */
const SAVE_EVERY_BLOCKS = 200;
/** A follower that waits holds the cursor back no further: anybody can make it wait. Minutes, on a quick chain too. */
const MAX_HELD_BLOCKS = 2_000;

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #watcher: LogWatcher;
  /** Created, but not deep enough to open. */
  readonly #unconfirmed: MarketFacts[] = [];
  /** Listed from blocks that left the chain, until they come again or do not. */
  readonly #missing = new Map<MarketId, MarketFacts>();
  #sinceSaved = 0;
  #starting: Promise<void> = Promise.resolve();
  #isClosed = false;
  #lastBlock: { number: number; seenMs: number } | undefined;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#watcher = new LogWatcher({
      rpc: options.rpc,
      filters: [
        { addresses: [options.marketFactory], topics: [MARKET_CREATED] },
        { addresses: [options.place.settlement], topics: [CANCEL_REQUESTED] },
        ...options.followers.flatMap(({ filters }) => filters),
      ],
      fromBlock: options.fromBlock,
      cursor: options.cursor,
      onBlock: (block, cursor) => this.#onBlock(block, cursor),
      onRewind: (rewind, cursor) => this.#onRewind(rewind, cursor),
      onIdle: () => this.#catchUp(),
      onTooDeep: options.onTooDeep,
      onTrouble: options.onTrouble,
      ...(options.pollMs !== undefined && { pollMs: options.pollMs }),
      ...(options.idleMs !== undefined && { idleMs: options.idleMs }),
    });
  }

  get lastBlock(): { readonly number: number; readonly seenMs: number } | undefined {
    return this.#lastBlock;
  }

  gauges(): Record<string, { help: string; read: () => number }> {
    return {
      presage_chain_age_seconds: {
        help: 'Time since a block of the chain was seen; NaN before the first',
        read: () => (Date.now() - (this.#lastBlock?.seenMs ?? Number.NaN)) / 1_000,
      },
    };
  }

  start(): void {
    this.#starting = this.#resume().catch(this.#options.onTrouble);
  }

  /** The chain has a new head, or a market was listed by somebody else. */
  wake(): void {
    this.#watcher.wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting;
    await this.#watcher.close();
  }

  /** What was written of blocks above the saved cursor comes again, and may come otherwise: it is taken back first. */
  async #resume(): Promise<void> {
    const tip = this.#watcher.position;
    if (tip !== null) await this.#rollBack(tip, 'restart');
    if (!this.#isClosed) this.#watcher.start();
  }

  async #rollBack(toBlock: number, cause: RewindCause): Promise<void> {
    for (const follower of this.#options.followers) await follower.rewind?.(toBlock);
    await this.#options.noteRewind(toBlock, cause);
  }

  async #onBlock(block: WatchedBlock, cursor: LogCursor): Promise<void> {
    const created = readMarketsCreated(block, this.#options.place);
    this.#unconfirmed.push(...created);
    await this.#openGrown(block.blockNumber);
    await this.#closeVanished(block.blockNumber);
    const requests = readCancelRequests(block.logs);
    for (const request of requests) await this.#cancel(request);
    let hasFacts = created.length + requests.length > 0;
    for (const follower of this.#options.followers) hasFacts = (await follower.follow(block)) || hasFacts;
    this.#lastBlock = { number: block.blockNumber, seenMs: Date.now() };
    // Not while a market waits for its depth: its block must be delivered again after a restart.
    if (this.#unconfirmed.length > 0 || this.#missing.size > 0) return;
    this.#sinceSaved++;
    if (!hasFacts && this.#sinceSaved < SAVE_EVERY_BLOCKS) return;
    const isWaiting = this.#options.followers.some((follower) => follower.isWaiting?.(block));
    if (!isWaiting || this.#sinceSaved >= MAX_HELD_BLOCKS) await this.#save(cursor);
  }

  async #catchUp(): Promise<void> {
    for (const follower of this.#options.followers) await follower.catchUp?.();
  }

  async #onRewind({ toBlock }: Rewind, cursor: LogCursor): Promise<void> {
    for (let i = this.#unconfirmed.length - 1; i >= 0; i--) {
      if (this.#unconfirmed[i]!.blockNumber > toBlock) this.#unconfirmed.splice(i, 1);
    }
    for (const { facts, status } of this.#options.reads.markets()) {
      // A quick market follows the transaction that created it, which comes again by itself.
      const isOurs = facts.kind === 'standard' && facts.chainId === this.#options.place.chainId && status === 'open';
      if (isOurs && facts.blockNumber > toBlock) this.#missing.set(facts.marketId, facts);
    }
    await this.#rollBack(toBlock, 'reorg');
    await this.#save(cursor);
  }

  async #openGrown(head: number): Promise<void> {
    while (
      this.#unconfirmed.length > 0 &&
      this.#unconfirmed[0]!.blockNumber + this.#options.confirmations - 1 <= head
    ) {
      const market = this.#unconfirmed[0]!;
      if (!this.#missing.delete(market.marketId)) await this.#options.commands.listMarket(market);
      this.#unconfirmed.shift();
    }
  }

  /** A market whose block came and went without it is not coming back. */
  async #closeVanished(head: number): Promise<void> {
    for (const [marketId, { blockNumber }] of this.#missing) {
      if (head < blockNumber + this.#options.confirmations) continue;
      await this.#options.commands.closeVanished(marketId);
      this.#missing.delete(marketId);
    }
  }

  async #cancel({ trader, marketId, nonce }: ReturnType<typeof readCancelRequests>[number]): Promise<void> {
    const open = this.#options.reads.openOrders({ trader, marketId });
    const order = open.find(({ signed }) => signed.order.nonce === nonce);
    if (order !== undefined) await this.#options.commands.cancelOnChain(marketId, order.signed.orderHash);
  }

  async #save(cursor: LogCursor): Promise<void> {
    await this.#options.saveCursor(cursor);
    this.#sinceSaved = 0;
  }
}
