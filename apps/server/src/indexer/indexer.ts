// Chain to journal: created and vanished markets, orders cancelled on chain, and by its followers resolutions, shares, halts and pauses.
import { FEES_FIXED, type LogFilter, LogWatcher, type Rewind, type WatchedBlock } from '@presage/chain';
import type {
  Hex,
  JournalRecord,
  LogCursor,
  MarketFacts,
  MarketId,
  RewindCause,
  SavedLogCursor,
} from '@presage/protocol';
import { SeqWaiters } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { MarketPauses } from '../chains/market-pauses.ts';
import type { TradingHalts } from '../chains/trading-halts.ts';
import {
  CANCEL_REQUESTED,
  EARLY_ALLOWED,
  MARKET_CREATED,
  readCancelRequests,
  readMarketsCreated,
} from './chain-facts.ts';
import { EVENT_TOPICS, readOutcomesListed } from './event-facts.ts';
import { HaltFollower } from './halt-follower.ts';
import { PauseFollower } from './pause-follower.ts';
import { ResolutionFollower } from './resolution-follower.ts';
import { RestoredOrders } from './restored-orders.ts';
import { ShareFollower } from './share-follower.ts';
import type { FactWriter } from './viem-logs.ts';

/** Records facts of blocks, and undoes those of blocks that left the chain. */
interface BlockFollower {
  readonly filters: readonly LogFilter[];
  /**
   * Returns undefined if the block has no facts for this follower. A block may be delivered again after a restart; facts that are known
   * already then stay unchanged.
   */
  read(block: WatchedBlock): FactWriter | undefined;
  rewind?(toBlock: number): Promise<void>;
  /** Facts of earlier blocks that became known without a new block. */
  readLate?(): FactWriter | undefined;
  /** Oldest block with data that is not durable yet: it must be delivered again after a restart. */
  waitsSince?(timestamp: number): number | undefined;
}

export interface IndexerOptions {
  /** Position at which the previous run ended. */
  readonly cursor: SavedLogCursor | undefined;
  readonly halts: TradingHalts;
  readonly pauses: MarketPauses;
  /** Partition of the chain. */
  readonly journal: Pick<ChainLog, 'saveCursor' | 'noteHalt' | 'notePause' | 'confirm'>;
  /** Called when a market that was paused on chain settles again. */
  readonly onResumed: () => void;
  readonly onTooDeep: (error: Error) => void;
  /** Called when blocks left the chain that were deep enough to be confirmed. */
  readonly onDeepReorg: (depth: number) => void;
}

/** Blocks between two cursor records of a busy chain; an idle one writes none. */
const SAVE_EVERY_BLOCKS = 200;
/** Limit of the blocks that a follower can have delivered again: anybody can make it wait. Lasts minutes, even on a quick chain. */
const MAX_HELD_BLOCKS = 2_000;

export class Indexer {
  readonly #context: ChainContext;
  readonly #options: IndexerOptions;
  /** Called in this order at each block. */
  readonly #followers: readonly BlockFollower[];
  readonly #halts: HaltFollower;
  readonly #restored: RestoredOrders;
  readonly #watcher: LogWatcher;
  /** Created markets without enough confirmations to be listed. */
  readonly #unconfirmed: MarketFacts[] = [];
  /** Listed markets whose blocks left the chain or are being delivered again, until they are seen again or closed. */
  readonly #missing = new Map<MarketId, MarketFacts>();
  /** New blocks of markets that were missing and created again; a restart forgets them. */
  readonly #createdAgain = new Map<MarketId, number>();
  #sinceSaved = 0;
  /** The newest block whose hash a restart knows. */
  #savedBlock: number | undefined;
  #starting: Promise<void> = Promise.resolve();
  #isClosed = false;
  #lastBlock: { number: number; timestamp: number; seenMs: number; cursor: LogCursor } | undefined;
  /** Newest block of which everything is written. */
  readonly #followed = new SeqWaiters();

  constructor(context: ChainContext, options: IndexerOptions) {
    const { rpc, node, pollMs, idleMs, chain } = context;
    const { eventFactory } = chain.contracts;
    const { cursor, halts, pauses, journal, onResumed, onTooDeep } = options;
    this.#context = context;
    this.#options = options;
    this.#savedBlock = cursor?.blocks.at(-1)?.number;
    this.#halts = new HaltFollower(context, halts, journal);
    this.#restored = new RestoredOrders(context);
    this.#followers = [
      new ResolutionFollower(context),
      new ShareFollower(context),
      this.#halts,
      new PauseFollower(context, { pauses, journal, onResumed }),
    ];
    this.#watcher = new LogWatcher({
      rpc,
      node,
      pollMs,
      idleMs,
      filters: [
        { addresses: [chain.contracts.marketFactory], topics: [[MARKET_CREATED, EARLY_ALLOWED]] },
        ...(eventFactory === undefined ? [] : [{ addresses: [eventFactory], topics: [EVENT_TOPICS] }]),
        { addresses: [chain.contracts.settlement], topics: [[CANCEL_REQUESTED, FEES_FIXED]] },
        ...this.#followers.flatMap(({ filters }) => filters),
      ],
      fromBlock: chain.fromBlock,
      cursor,
      onBlock: async (block, next) => {
        await this.#onBlock(block, next);
        this.#followed.reached = block.blockNumber;
      },
      onRewind: (rewind, next) => {
        this.#followed.reached = rewind.toBlock;
        return this.#onRewind(rewind, next);
      },
      onIdle: () => this.#writeLate(),
      onTooDeep,
      onTrouble: this.#onTrouble,
    });
    this.#followed.reached = this.#watcher.next - 1;
  }

  get lastBlock(): { readonly number: number; readonly seenMs: number } | undefined {
    return this.#lastBlock;
  }

  /** Newest block of which everything is durable; undefined while a later one is being read. */
  get followedBlock(): number | undefined {
    const { reached } = this.#followed;
    // No block has been read since the start, and there may be none for a long time.
    const begun = this.#lastBlock?.number ?? reached;
    return reached >= 0 && begun <= reached ? reached : undefined;
  }

  /** Whether all facts of the block are durable, and so can be read; false if that takes longer than `timeoutMs`. */
  hasFollowed(blockNumber: number, timeoutMs: number): Promise<boolean> {
    return this.#followed.wait(blockNumber, timeoutMs);
  }

  /** Hash of a recent block of which everything is durable; undefined for others. A rewind that drops the block is recorded after anything written before. */
  hashOf(blockNumber: number): Hex | undefined {
    return blockNumber <= this.#followed.reached ? this.#watcher.hashOf(blockNumber) : undefined;
  }

  /** Resolves when a restart knows the hash of every block that is followed now: facts that others note of them are taken back with the block. */
  async saveFollowed(): Promise<void> {
    const { reached } = this.#followed;
    if (this.#lastBlock === undefined || reached <= (this.#savedBlock ?? -1)) return;
    const { cursor } = this.#lastBlock;
    // A block that is being written comes again after a restart.
    await this.#save(this.#holdBack({ ...cursor, next: Math.min(cursor.next, reached + 1) }));
  }

  gauges(): Record<string, { help: string; read: () => number }> {
    return {
      presage_chain_age_seconds: {
        help: 'Time since a block of the chain was seen; NaN before the first',
        read: () => (Date.now() - (this.#lastBlock?.seenMs ?? Number.NaN)) / 1_000,
      },
    };
  }

  /** Called with each durable record of the chain's markets. */
  follow(record: JournalRecord): void {
    this.#halts.follow(record);
    this.#restored.follow(record);
  }

  start(): void {
    const open = this.#context.reads.openOrders();
    this.#halts.checkAll(open);
    this.#restored.checkAll(open);
    this.#starting = this.#resume().catch(this.#onTrouble);
  }

  /** Called when the chain has a new head, or a market was listed by another module. */
  wake(): void {
    this.#watcher.wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting;
    await this.#watcher.close();
    await Promise.all([this.#halts.close(), this.#restored.close()]);
    this.#followed.giveUp();
  }

  readonly #onTrouble = (error: unknown): void =>
    this.#context.log.warn({ error: String(error) }, 'chain logs could not be read; retrying');

  /** Starts the watcher. Blocks that are still on the chain are delivered again without a rewind; the watcher notices those that are not. */
  async #resume(): Promise<void> {
    const { position: tip, next } = this.#watcher;
    // A cursor of version 1 has no hashes of the blocks above it.
    if (this.#options.cursor?.v === 1 && tip !== null) await this.#rollBack(tip, 'restart');
    this.#missFrom(next);
    if (!this.#isClosed) this.#watcher.start();
  }

  /** A settler that another one has followed and that has not noticed would void what the other read on from here, which nobody would read again. */
  async #rollBack(toBlock: number, cause: RewindCause): Promise<void> {
    await this.#options.journal.confirm();
    for (const follower of this.#followers) await follower.rewind?.(toBlock);
    await this.#noteRewind(toBlock, cause);
  }

  /** Records that everything above the block is void; resolves when that is durable. */
  #noteRewind(toBlock: number, cause: RewindCause): Promise<void> {
    const { chain, clock, note } = this.#context;
    return note({ type: 'chain-rewound', timeMs: clock.nowMs(), chainId: chain.chainId, toBlock, cause });
  }

  async #onBlock(block: WatchedBlock, cursor: LogCursor): Promise<void> {
    const { blockNumber, timestamp } = block;
    const created = [...readMarketsCreated(block, this.#context), ...(await readOutcomesListed(block, this.#context))];
    // A block whose facts could not all be written is delivered again.
    this.#forgetUnconfirmed(blockNumber - 1);
    this.#unconfirmed.push(...created);
    await this.#openGrown(blockNumber);
    await this.#closeVanished(blockNumber);
    const requests = readCancelRequests(block.logs);
    for (const request of requests) await this.#cancel(request);
    this.#lastBlock = { number: blockNumber, timestamp, seenMs: Date.now(), cursor };
    const begun = this.#holdBack({ ...cursor, next: blockNumber });
    if (await this.#write((follower) => follower.read(block), begun)) return;
    this.#sinceSaved++;
    const isWorthIt = created.length + requests.length > 0 || this.#sinceSaved >= SAVE_EVERY_BLOCKS;
    if (isWorthIt) await this.#save(this.#holdBack(cursor));
  }

  async #writeLate(): Promise<void> {
    if (this.#lastBlock === undefined) return;
    await this.#write((follower) => follower.readLate?.(), this.#holdBack(this.#lastBlock.cursor));
  }

  /**
   * Saves the cursor before the facts: a restart then knows the hash of every block with written facts. Followers write in turn, since one
   * reads what another wrote.
   */
  async #write(read: (follower: BlockFollower) => FactWriter | undefined, cursor: LogCursor): Promise<boolean> {
    let isSaved = false;
    for (const follower of this.#followers) {
      const write = read(follower);
      if (write === undefined) continue;
      if (!isSaved) await this.#save(cursor);
      isSaved = true;
      await write();
    }
    return isSaved;
  }

  /**
   * Moves the cursor back to the oldest block that must be delivered again after a restart: one with a market that waits for confirmations,
   * or with shares that wait for their market.
   */
  #holdBack(cursor: LogCursor): LogCursor {
    const { next } = cursor;
    const timestamp = this.#lastBlock?.timestamp ?? 0;
    const markets = [...this.#unconfirmed, ...this.#missing.values()].map(({ blockNumber }) => blockNumber);
    const waiting = this.#followers.map((follower) => {
      return Math.max(follower.waitsSince?.(timestamp) ?? next, next - MAX_HELD_BLOCKS);
    });
    return { ...cursor, next: Math.min(next, ...markets, ...waiting) };
  }

  async #onRewind({ toBlock }: Rewind, cursor: LogCursor): Promise<void> {
    const depth = (this.#lastBlock?.number ?? toBlock) - toBlock;
    if (depth >= this.#context.chain.confirmations) this.#options.onDeepReorg(depth);
    this.#forgetUnconfirmed(toBlock);
    this.#missFrom(toBlock + 1);
    await this.#rollBack(toBlock, 'reorg');
    await this.#save(this.#holdBack(cursor));
  }

  #forgetUnconfirmed(toBlock: number): void {
    while ((this.#unconfirmed.at(-1)?.blockNumber ?? toBlock) > toBlock) this.#unconfirmed.pop();
  }

  #missFrom(block: number): void {
    for (const { facts, status } of this.#context.reads.activeMarkets()) {
      // A quick market follows the transaction that created it, which is mined again by itself.
      const isFollowed = facts.kind === 'standard' && status === 'open';
      const blockNumber = this.#createdAgain.get(facts.marketId) ?? facts.blockNumber;
      if (isFollowed && blockNumber >= block) this.#missing.set(facts.marketId, { ...facts, blockNumber });
    }
  }

  async #openGrown(head: number): Promise<void> {
    const { chain, commands } = this.#context;
    for (;;) {
      const [market] = this.#unconfirmed;
      if (market === undefined || market.blockNumber + chain.confirmations - 1 > head) return;
      if (this.#missing.delete(market.marketId)) this.#createdAgain.set(market.marketId, market.blockNumber);
      else await commands.listMarket(market);
      this.#unconfirmed.shift();
    }
  }

  /** Closes missing markets whose block is confirmed without them, unless they were created again since. */
  async #closeVanished(head: number): Promise<void> {
    const created = new Set(this.#unconfirmed.map(({ marketId }) => marketId));
    for (const [marketId, { blockNumber }] of this.#missing) {
      if (head < blockNumber + this.#context.chain.confirmations || created.has(marketId)) continue;
      await this.#context.commands.closeVanished(marketId);
      this.#missing.delete(marketId);
      this.#createdAgain.delete(marketId);
    }
  }

  async #cancel({ trader, marketId, nonce }: ReturnType<typeof readCancelRequests>[number]): Promise<void> {
    const { reads, commands } = this.#context;
    const [order] = reads.openOrders({ trader, marketId, nonce });
    if (order !== undefined) await commands.cancelOnChain(marketId, order.signed.orderHash);
  }

  async #save(cursor: LogCursor): Promise<void> {
    await this.#options.journal.saveCursor(cursor);
    this.#savedBlock = cursor.blocks.at(-1)?.number;
    this.#sinceSaved = 0;
  }
}
