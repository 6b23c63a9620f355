// Reads a wallet's shares from the chain and journals them: the forced sync of a position.
import { type Address, type CursorBlock, type MarketFacts, PresageError } from '@presage/protocol';
import { messageOf, poll } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Indexer } from '../indexer/indexer.ts';
import { isMined, type PendingRead, pendingReadsOf } from './holdings-reader.ts';

/** A wallet's state on chain at one block. */
interface Reading {
  readonly block: CursorBlock;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  /** Filled sizes of orders with pending trades, by nonce. */
  readonly filled: ReadonlyMap<bigint, bigint>;
}

/** Access to the hashes of followed blocks, and ways to trigger an update and to save them for a restart. */
export type SyncedBlocks = Pick<Indexer, 'hashOf' | 'wake' | 'saveFollowed'>;

/** Longest wait until the block is followed; settlement polls its batches several times in this time. */
const FOLLOWED = { timeoutMs: 10_000, pollMs: 20 };

export class PositionSync {
  readonly #context: ChainContext;
  readonly #blocks: SyncedBlocks;

  constructor(context: ChainContext, blocks: SyncedBlocks) {
    this.#context = context;
    this.#blocks = blocks;
  }

  /**
   * Reads and journals the wallet's shares in a market. Balances of a replaced block are read again, and those of a block that is not
   * followed are not journalled: a later rewind voids only those of followed blocks whose hashes a restart knows.
   */
  async sync(market: MarketFacts, wallet: Address) {
    let reading = await this.#read(market, wallet);
    this.#blocks.wake();
    const noteFollowed = async () => {
      const hash = this.#blocks.hashOf(reading.block.number);
      if (hash !== undefined && hash !== reading.block.hash) reading = await this.#read(market, wallet);
      if (!this.#isFollowed(market, wallet, reading)) return false;
      await this.#blocks.saveFollowed();
      if (!this.#isFollowed(market, wallet, reading)) return false;
      await this.#note(market, wallet, reading);
      return true;
    };
    if (!(await poll(noteFollowed, FOLLOWED))) {
      throw new PresageError('chain_sync_unavailable', { reason: 'the newest block is not followed yet' });
    }
    const { block, yesShares, noShares } = reading;
    return { yesShares, noShares, blockNumber: block.number };
  }

  #isFollowed(market: MarketFacts, wallet: Address, reading: Reading): boolean {
    const { number, hash } = reading.block;
    if (this.#blocks.hashOf(number) !== hash) return false;
    return this.#pendingOf(market, wallet).every((pending) => isFollowedIn(pending, reading));
  }

  #note({ marketId }: MarketFacts, wallet: Address, { block, yesShares, noShares }: Reading): Promise<void> {
    const { note, clock } = this.#context;
    return note({
      type: 'position-synced',
      timeMs: clock.nowMs(),
      marketId,
      userAddress: wallet,
      yesShares: yesShares.toString(),
      noShares: noShares.toString(),
      blockNumber: block.number,
    });
  }

  async #read(market: MarketFacts, wallet: Address): Promise<Reading> {
    try {
      return await this.#readHead(market, wallet);
    } catch (error) {
      throw new PresageError('chain_sync_unavailable', { reason: messageOf(error) });
    }
  }

  /** Reads everything at one block, by its hash: in a reorg a number could mean two blocks. */
  async #readHead(market: MarketFacts, wallet: Address): Promise<Reading> {
    const { node, contracts } = this.#context;
    const { settlement } = contracts;
    const head = await node.head();
    // After the head was read: a trade in that block was pending before it was sent.
    const orders = this.#pendingOf(market, wallet).map(({ order }) => order);
    const [yesShares = 0n, noShares = 0n, ...filled] = await contracts.readTogether(
      [
        contracts.readingShares(wallet, BigInt(market.yesTokenId)),
        contracts.readingShares(wallet, BigInt(market.noTokenId)),
        ...orders.map(({ marketId, nonce }) => settlement.reading('filled', [wallet, marketId, nonce])),
      ],
      { block: { hash: head.hash } },
    );
    const byNonce = orders.map(({ nonce }, at) => [nonce, filled[at] ?? 0n] as const);
    return { block: head, yesShares, noShares, filled: new Map(byNonce) };
  }

  #pendingOf({ marketId }: MarketFacts, wallet: Address): PendingRead[] {
    const { reads } = this.#context;
    return pendingReadsOf(reads.unsettledTrades({ marketId, trader: wallet }), wallet, reads);
  }
}

/** Whether all fills of an order on chain are known to be mined. Otherwise the position would count the unknown ones twice, in the balances and as pending. */
function isFollowedIn({ order, filledSize, trades }: PendingRead, { filled, block }: Reading): boolean {
  const isKnown = ({ stage, settlement }: (typeof trades)[number]) =>
    isMined(stage) && (settlement?.blockNumber ?? 0) <= block.number;
  const unknown = trades.filter((trade) => !isKnown(trade)).reduce((sum, { size }) => sum + size, 0);
  return (filled.get(order.nonce) ?? 0n) <= BigInt(filledSize - unknown);
}
