// Reads a wallet's state on chain: money, approvals, shares, payouts of resolved markets, nonces; each result from one block.
import type { ContractRead, Contracts, NodeReader, ReadResults } from '@presage/chain';
import { type Address, conditionOf, type MarketFacts, PresageError } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';

export type WalletApprovals = Awaited<ReturnType<WalletReads['approvals']>>;

/** A market's condition and the wallet's shares in it: YES first, then NO. */
export interface MarketClaim {
  readonly market: MarketFacts;
  /** Payout denominator of the condition; 0 until the payouts are reported. */
  readonly denominator: bigint;
  readonly numerators: readonly [bigint, bigint];
  readonly shares: readonly [bigint, bigint];
}

/** `pending` includes transactions about to be mined; relayed calls are judged by it. */
export type ReadAt = 'head' | 'pending';

const READS_PER_CLAIM = 4;

/** Every failure is chain_unavailable: the contracts read here exist, so a missing answer means an unreachable chain. */
export class WalletReads {
  readonly #contracts: Contracts;
  readonly #node: NodeReader;

  constructor({ node, contracts }: Pick<ChainContext, 'node' | 'contracts'>) {
    this.#contracts = contracts;
    this.#node = node;
  }

  /** Balance, allowance and shares. The default spender is the settlement contract; shares are in the order of `tokenIds`. */
  async funds(wallet: Address, tokenIds: readonly bigint[] = [], spender?: Address) {
    const { stablecoin, conditionalTokens, settlement } = this.#contracts;
    const [balance = 0n, allowance = 0n, ...shares] = await this.#read([
      stablecoin.reading('balanceOf', [wallet]),
      stablecoin.reading('allowance', [wallet, spender ?? settlement.address]),
      ...tokenIds.map((tokenId) => conditionalTokens.reading('balanceOf', [wallet, tokenId])),
    ]);
    return { balance, allowance, shares };
  }

  /** Number of the newest block. */
  async head(): Promise<number> {
    return withChain(async () => (await this.#node.head()).number);
  }

  /** Stablecoin balances of the holders at the end of a block. */
  stablecoinOf(holders: readonly Address[], number: number): Promise<bigint[]> {
    const { stablecoin } = this.#contracts;
    const reads = holders.map((holder) => stablecoin.reading('balanceOf', [holder]));
    return withChain(() => this.#contracts.readTogether(reads, { block: { number } }));
  }

  async approvals(wallet: Address) {
    const { stablecoin, conditionalTokens, settlement } = this.#contracts;
    const [settlementAllowance, tokensAllowance, sharesApproved, haltedAfter] = await this.#read([
      stablecoin.reading('allowance', [wallet, settlement.address]),
      stablecoin.reading('allowance', [wallet, conditionalTokens.address]),
      conditionalTokens.reading('isApprovedForAll', [wallet, settlement.address]),
      settlement.reading('haltEffectiveAfter', [wallet]),
    ]);
    return {
      settlement: settlement.address,
      conditionalTokens: conditionalTokens.address,
      /** Stablecoin that the settlement contract and the conditional tokens may take. */
      settlementAllowance,
      tokensAllowance,
      /** Whether the settlement contract may move shares. */
      sharesApproved,
      /** Unix second after which nothing of the wallet settles; zero while it trades. */
      haltedAfter,
    };
  }

  /** Claims in the markets, and the wallet's nonce at the conditional tokens. */
  async claims(wallet: Address, markets: readonly MarketFacts[], at: ReadAt = 'head') {
    const { conditionalTokens } = this.#contracts;
    const claimReads = markets.flatMap((market) => this.#readingClaim(wallet, market));
    const [nonce = 0n, ...answers] = await this.#read(
      [conditionalTokens.reading('nonces', [wallet]), ...claimReads],
      at,
    );
    const claims = markets.map((market, index) => {
      const from = index * READS_PER_CLAIM;
      return toMarketClaim(market, answers.slice(from, from + READS_PER_CLAIM));
    });
    return { claims, nonce };
  }

  /** Nonce and allowance, which a permit would change. */
  async permitState(owner: Address, spender: Address, at: ReadAt) {
    const { stablecoin } = this.#contracts;
    const [nonce, allowance] = await this.#read(
      [stablecoin.reading('nonces', [owner]), stablecoin.reading('allowance', [owner, spender])],
      at,
    );
    return { nonce, allowance };
  }

  /**
   * Next nonces in the order of `of`. Markets, the stablecoin and the conditional tokens have the same function for them. None is lower
   * than at the newest block seen: the pending state of a node that is behind may lack it.
   */
  async nonces(
    of: readonly { readonly owner: Address; readonly contract: Address }[],
    at: ReadAt,
  ): Promise<readonly bigint[]> {
    const reads = of.map(({ owner, contract }) => this.#contracts.market(contract).reading('nonces', [owner]));
    const mined = await this.#read(reads, 'head');
    if (at === 'head') return mined;
    const pending = await this.#read(reads, at);
    return pending.map((nonce, index) => (nonce > mined[index]! ? nonce : mined[index]!));
  }

  #readingClaim(wallet: Address, market: MarketFacts): ContractRead<bigint>[] {
    const { conditionalTokens } = this.#contracts;
    const { yesTokenId, noTokenId, event } = market;
    const conditionId = conditionOf(market);
    return [
      conditionalTokens.reading('payoutDenominator', [conditionId]),
      conditionalTokens.reading('payoutNumerators', [conditionId, BigInt(event?.index ?? 0)]),
      this.#contracts.readingShares(wallet, BigInt(yesTokenId)),
      this.#contracts.readingShares(wallet, BigInt(noTokenId)),
    ];
  }

  /** Reads at one block, named by its hash: in a reorg a number could mean two blocks, and many reads are sent in several calls. */
  async #read<const R extends readonly ContractRead<unknown>[]>(
    reads: R,
    at: ReadAt = 'head',
  ): Promise<ReadResults<R>> {
    return withChain(async () => {
      const block = at === 'pending' ? at : { hash: (await this.#node.head()).hash };
      return this.#contracts.readTogether(reads, { block });
    });
  }
}

async function withChain<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new PresageError('chain_unavailable', { reason: messageOf(error) });
  }
}

function toMarketClaim(market: MarketFacts, answers: readonly bigint[]): MarketClaim {
  const [denominator = 0n, yes = 0n, yesShares = 0n, noShares = 0n] = answers;
  // The denominator is the sum of all numerators, and NO is every outcome but one.
  return { market, denominator, numerators: [yes, denominator - yes], shares: [yesShares, noShares] };
}
