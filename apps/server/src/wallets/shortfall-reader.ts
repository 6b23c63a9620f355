// Reads what wallets hold and have allowed for a run of fills: money, shares and approvals together.
import type { Hex, MarketId, Outcome } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';

/** Allowance and share approval of a wallet for the settlement contract. */
export interface WalletApproval {
  readonly wallet: Hex;
  readonly allowance: bigint;
  readonly sharesApproved: boolean;
}

export interface SharesOf {
  readonly wallet: Hex;
  readonly marketId: MarketId;
  readonly outcome: Outcome;
}

/** Includes pending transactions, since a batch that was just sent must count. */
const PENDING = { block: 'pending', maxReads: 1_000 } as const;

export class ShortfallReader {
  readonly #context: ChainContext;

  constructor(context: ChainContext) {
    this.#context = context;
  }

  async approvals(wallets: readonly Hex[]): Promise<WalletApproval[]> {
    const { stablecoin, conditionalTokens, settlement, readTogether } = this.#context.contracts;
    if (wallets.length === 0) return [];
    const answers = await readTogether(
      wallets.flatMap((wallet) => [
        stablecoin.reading('allowance', [wallet, settlement.address]),
        conditionalTokens.reading('isApprovedForAll', [wallet, settlement.address]),
      ]),
      PENDING,
    );
    return wallets.map((wallet, index) => ({
      wallet,
      allowance: BigInt(answers[2 * index] ?? 0),
      sharesApproved: answers[2 * index + 1] === true,
    }));
  }

  /** Balances and shares in the order of the arguments. */
  async holdings(
    wallets: readonly Hex[],
    shares: readonly SharesOf[],
  ): Promise<{ money: readonly bigint[]; shares: readonly bigint[] }> {
    const { stablecoin, readingShares, readTogether } = this.#context.contracts;
    if (wallets.length + shares.length === 0) return { money: [], shares: [] };
    const answers = await readTogether(
      [
        ...wallets.map((wallet) => stablecoin.reading('balanceOf', [wallet])),
        ...shares.map((each) => readingShares(each.wallet, this.#tokenId(each))),
      ],
      PENDING,
    );
    return { money: answers.slice(0, wallets.length), shares: answers.slice(wallets.length) };
  }

  #tokenId({ marketId, outcome }: SharesOf): bigint {
    const market = this.#context.reads.facts(marketId);
    if (market === undefined) throw new Error(`a fill names the unknown market ${marketId}`);
    return BigInt(outcome === 0 ? market.yesTokenId : market.noTokenId);
  }
}
