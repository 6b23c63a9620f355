// What the chain says of a wallet: money, approvals, shares, payouts of resolved markets, nonces; each answer of one block.
import { type ContractRead, type Contracts, NodeReader, type ReadResults, type Rpc } from '@presage/chain';
import { type Address, type MarketFacts, PresageError } from '@presage/protocol';
import { messageOf } from '@presage/runtime';

export interface WalletReadsOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
}

export interface WalletApprovals {
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  /** Stablecoin that the settlement contract and the conditional tokens may take. */
  readonly settlementAllowance: bigint;
  readonly tokensAllowance: bigint;
  /** Whether the settlement contract may move shares. */
  readonly sharesApproved: boolean;
  /** Unix second after which nothing of the wallet settles; zero while it trades. */
  readonly haltedAfter: bigint;
}

export interface FundsQuery {
  readonly wallet: Address;
  /** The settlement contract when absent. */
  readonly spender?: Address | undefined;
  /** Shares of these are read too. */
  readonly tokenIds: readonly bigint[];
}

export interface WalletFunds {
  readonly balance: bigint;
  readonly allowance: bigint;
  /** In the order of the token ids. */
  readonly shares: readonly bigint[];
}

/** A market's condition and the wallet's shares in it: YES first, then NO. */
export interface MarketClaim {
  readonly market: MarketFacts;
  /** 0 until the payouts are reported. */
  readonly denominator: bigint;
  readonly numerators: readonly [bigint, bigint];
  readonly shares: readonly [bigint, bigint];
}

export interface WalletClaims {
  readonly claims: readonly MarketClaim[];
  /** The wallet's nonce at the conditional tokens. */
  readonly nonce: bigint;
}

/** `pending` contains what is about to be mined: relayed calls are judged on it. */
export type ReadAt = 'head' | 'pending';

/** What a permit would change. */
export interface PermitState {
  readonly nonce: bigint;
  readonly allowance: bigint;
}

export interface NonceQuery {
  readonly owner: Address;
  /** A market, the stablecoin or the conditional tokens: all three count alike. */
  readonly contract: Address;
}

const READS_PER_CLAIM = 5;

/** Every failure is chain_unavailable: what is asked for here exists, so no answer means no chain. */
export class WalletReads {
  readonly #contracts: Contracts;
  readonly #node: NodeReader;

  constructor({ rpc, contracts }: WalletReadsOptions) {
    this.#contracts = contracts;
    this.#node = new NodeReader(rpc);
  }

  async funds({ wallet, spender, tokenIds }: FundsQuery): Promise<WalletFunds> {
    const { stablecoin, conditionalTokens, settlement } = this.#contracts;
    const [balance = 0n, allowance = 0n, ...shares] = await this.#read([
      stablecoin.reading('balanceOf', [wallet]),
      stablecoin.reading('allowance', [wallet, spender ?? settlement.address]),
      ...tokenIds.map((tokenId) => conditionalTokens.reading('balanceOf', [wallet, tokenId])),
    ]);
    return { balance, allowance, shares };
  }

  async approvals(wallet: Address): Promise<WalletApprovals> {
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
      settlementAllowance,
      tokensAllowance,
      sharesApproved,
      haltedAfter,
    };
  }

  async claims(wallet: Address, markets: readonly MarketFacts[], at: ReadAt = 'head'): Promise<WalletClaims> {
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

  async permitState(owner: Address, spender: Address): Promise<PermitState> {
    const { stablecoin } = this.#contracts;
    const [nonce, allowance] = await this.#read(
      [stablecoin.reading('nonces', [owner]), stablecoin.reading('allowance', [owner, spender])],
      'pending',
    );
    return { nonce, allowance };
  }

  /** One each, in the order of the queries. */
  nonces(queries: readonly NonceQuery[], at: ReadAt): Promise<readonly bigint[]> {
    const reads = queries.map(({ owner, contract }) => this.#contracts.market(contract).reading('nonces', [owner]));
    return this.#read(reads, at);
  }

  #readingClaim(wallet: Address, { marketId, yesTokenId, noTokenId }: MarketFacts): ContractRead<bigint>[] {
    const { conditionalTokens } = this.#contracts;
    return [
      conditionalTokens.reading('payoutDenominator', [marketId]),
      conditionalTokens.reading('payoutNumerators', [marketId, 0n]),
      conditionalTokens.reading('payoutNumerators', [marketId, 1n]),
      conditionalTokens.reading('balanceOf', [wallet, BigInt(yesTokenId)]),
      conditionalTokens.reading('balanceOf', [wallet, BigInt(noTokenId)]),
    ];
  }

  /** Names the block by its hash: a number could mean two blocks in a reorg, and many reads go out in several calls. */
  async #read<const R extends readonly ContractRead<unknown>[]>(
    reads: R,
    at: ReadAt = 'head',
  ): Promise<ReadResults<R>> {
    try {
      const block = at === 'pending' ? at : { hash: (await this.#node.head()).hash };
      return await this.#contracts.readTogether(reads, { block });
    } catch (error) {
      throw new PresageError('chain_unavailable', { reason: messageOf(error) });
    }
  }
}

function toMarketClaim(market: MarketFacts, answers: readonly bigint[]): MarketClaim {
  const [denominator = 0n, yesNumerator = 0n, noNumerator = 0n, yesShares = 0n, noShares = 0n] = answers;
  return { market, denominator, numerators: [yesNumerator, noNumerator], shares: [yesShares, noShares] };
}
