// Reads a wallet's shares from the chain and journals them: the forced sync of a position.
import { type Contracts, NodeReader, type Rpc } from '@presage/chain';
import { type Address, type JournalRecord, type MarketFacts, PresageError } from '@presage/protocol';

type PositionSynced = Extract<JournalRecord, { type: 'position-synced' }>;

export interface PositionSyncOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly note: (record: PositionSynced) => Promise<void>;
  readonly nowMs: () => number;
}

export class PositionSync {
  readonly #options: PositionSyncOptions;
  readonly #node: NodeReader;

  constructor(options: PositionSyncOptions) {
    this.#options = options;
    this.#node = new NodeReader(options.rpc);
  }

  async sync(market: MarketFacts, wallet: Address) {
    const { blockNumber, yesShares, noShares } = await this.#read(market, wallet).catch((error: unknown) => {
      throw new PresageError('chain_sync_unavailable', {
        reason: error instanceof Error ? error.message : String(error),
      });
    });
    await this.#options.note({
      type: 'position-synced',
      timeMs: this.#options.nowMs(),
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
    const { contracts } = this.#options;
    const head = await this.#node.head();
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
