// Reads a wallet's shares from the chain and journals them: the forced sync of a position.
import { type Address, type MarketFacts, PresageError } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';

export class PositionSync {
  readonly #context: ChainContext;

  constructor(context: ChainContext) {
    this.#context = context;
  }

  async sync(market: MarketFacts, wallet: Address) {
    const { blockNumber, yesShares, noShares } = await this.#read(market, wallet).catch((error: unknown) => {
      throw new PresageError('chain_sync_unavailable', {
        reason: messageOf(error),
      });
    });
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

  /** Both balances at one block, by its hash: a number could mean two blocks in a reorg. */
  async #read({ yesTokenId, noTokenId }: MarketFacts, wallet: Address) {
    const { node, contracts } = this.#context;
    const head = await node.head();
    const [yesShares, noShares] = await contracts.readTogether(
      [
        contracts.conditionalTokens.reading('balanceOf', [wallet, BigInt(yesTokenId)]),
        contracts.conditionalTokens.reading('balanceOf', [wallet, BigInt(noTokenId)]),
      ],
      { block: { hash: head.hash } },
    );
    return { blockNumber: head.number, yesShares, noShares };
  }
}
