// Reads a wallet's shares from the chain and journals them: the forced sync of a position.
import { type Address, type MarketFacts, PresageError } from '@presage/protocol';
import { messageOf, poll } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import { isMined, type PendingRead, pendingReadsOf } from './holdings-reader.ts';

/** What the chain says at one block. */
interface Reading {
  readonly blockNumber: number;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  /** What it has filled of orders with pending trades, by nonce. */
  readonly filled: ReadonlyMap<bigint, bigint>;
}

/** Settlement asks the chain for its batches several times in this time. */
const FOLLOWED = { timeoutMs: 10_000, pollMs: 20 };

export class PositionSync {
  readonly #context: ChainContext;

  constructor(context: ChainContext) {
    this.#context = context;
  }

  async sync(market: MarketFacts, wallet: Address) {
    const reading = await this.#read(market, wallet).catch((error: unknown) => {
      throw new PresageError('chain_sync_unavailable', { reason: messageOf(error) });
    });
    const isFollowed = () => this.#pendingOf(market, wallet).every((pending) => isFollowedIn(pending, reading));
    if (!(await poll(isFollowed, FOLLOWED))) {
      throw new PresageError('chain_sync_unavailable', { reason: 'trades in the newest block are not followed yet' });
    }
    const { blockNumber, yesShares, noShares } = reading;
    const { note, clock } = this.#context;
    await note({
      type: 'position-synced',
      timeMs: clock.nowMs(),
      marketId: market.marketId,
      userAddress: wallet,
      yesShares: yesShares.toString(),
      noShares: noShares.toString(),
      blockNumber,
    });
    return { yesShares, noShares, blockNumber };
  }

  /** All at one block, by its hash: a number could mean two blocks in a reorg. */
  async #read(market: MarketFacts, wallet: Address): Promise<Reading> {
    const { node, contracts } = this.#context;
    const { settlement, conditionalTokens } = contracts;
    const head = await node.head();
    // After the head: a trade in that block was pending before it was sent.
    const orders = this.#pendingOf(market, wallet).map(({ order }) => order);
    const [yesShares = 0n, noShares = 0n, ...filled] = await contracts.readTogether(
      [
        conditionalTokens.reading('balanceOf', [wallet, BigInt(market.yesTokenId)]),
        conditionalTokens.reading('balanceOf', [wallet, BigInt(market.noTokenId)]),
        ...orders.map(({ marketId, nonce }) => settlement.reading('filled', [wallet, marketId, nonce])),
      ],
      { block: { hash: head.hash } },
    );
    const byNonce = orders.map(({ nonce }, at) => [nonce, filled[at] ?? 0n] as const);
    return { blockNumber: head.number, yesShares, noShares, filled: new Map(byNonce) };
  }

  #pendingOf({ marketId }: MarketFacts, wallet: Address): PendingRead[] {
    const { reads } = this.#context;
    return pendingReadsOf(reads.unsettledTrades({ marketId, trader: wallet }), wallet, reads);
  }
}

/** Whether all that the chain has filled of an order is known to be mined: the position would count the rest twice, in the balances and as pending. */
function isFollowedIn({ order, filledSize, trades }: PendingRead, { filled, blockNumber }: Reading): boolean {
  const isKnown = ({ stage, settlement }: (typeof trades)[number]) =>
    isMined(stage) && (settlement?.blockNumber ?? 0) <= blockNumber;
  const unknown = trades.filter((trade) => !isKnown(trade)).reduce((sum, { size }) => sum + size, 0);
  return (filled.get(order.nonce) ?? 0n) <= BigInt(filledSize - unknown);
}
