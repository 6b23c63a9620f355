// What wallets lack for a run of fills: reads money, shares and approvals and computes the rest.
import type { Contracts } from '@presage/chain';
import type { MarketFacts, MarketId } from '@presage/protocol';
import { type FillNeed, findShortfalls, type Holdings, shareKey } from './shortfall.ts';

type Hex = `0x${string}`;

export interface ShortfallReaderOptions {
  readonly contracts: Contracts;
  readonly market: (marketId: MarketId) => MarketFacts | undefined;
}

/** What the settlement contract may take from a wallet of the fills. */
export interface WalletApproval {
  readonly wallet: Hex;
  readonly allowance: bigint;
  readonly sharesApproved: boolean;
}

export class ShortfallReader {
  readonly #options: ShortfallReaderOptions;

  constructor(options: ShortfallReaderOptions) {
    this.#options = options;
  }

  /** Of every wallet in the fills. */
  async approvals(fills: readonly FillNeed[]): Promise<WalletApproval[]> {
    const { stablecoin, conditionalTokens, settlement, readTogether } = this.#options.contracts;
    const wallets = walletsIn(fills);
    const allowances = await readTogether(
      wallets.map((wallet) => stablecoin.reading('allowance', [wallet, settlement.address])),
    );
    const approvals = await readTogether(
      wallets.map((wallet) => conditionalTokens.reading('isApprovedForAll', [wallet, settlement.address])),
    );
    return wallets.map((wallet, index) => ({
      wallet,
      allowance: allowances[index] ?? 0n,
      sharesApproved: approvals[index] === true,
    }));
  }

  /** Stablecoin that each wallet must be given so that every fill settles. */
  async money(fills: readonly FillNeed[]): Promise<Map<Hex, bigint>> {
    const shortfalls = findShortfalls(fills, await this.#readHoldings(fills));
    return shortfalls as Map<Hex, bigint>;
  }

  async #readHoldings(fills: readonly FillNeed[]): Promise<Holdings> {
    const { stablecoin, conditionalTokens, readTogether } = this.#options.contracts;
    const wallets = walletsIn(fills);
    const balances = await readTogether(wallets.map((wallet) => stablecoin.reading('balanceOf', [wallet])));
    const keys = new Map<string, { wallet: Hex; tokenId: bigint }>();
    for (const { buyer, seller, marketId, outcome } of fills) {
      for (const wallet of [buyer, seller] as Hex[]) {
        keys.set(shareKey(wallet, marketId, outcome), { wallet, tokenId: this.#tokenId(marketId as Hex, outcome) });
      }
    }
    const shares = await readTogether(
      [...keys.values()].map(({ wallet, tokenId }) => conditionalTokens.reading('balanceOf', [wallet, tokenId])),
    );
    return {
      money: new Map(wallets.map((wallet, index) => [wallet, balances[index] ?? 0n])),
      shares: new Map([...keys.keys()].map((key, index) => [key, shares[index] ?? 0n])),
    };
  }

  #tokenId(marketId: MarketId, outcome: number): bigint {
    const market = this.#options.market(marketId);
    if (market === undefined) throw new Error(`a fill names the unknown market ${marketId}`);
    return BigInt(outcome === 0 ? market.yesTokenId : market.noTokenId);
  }
}

function walletsIn(fills: readonly FillNeed[]): Hex[] {
  return [...new Set(fills.flatMap(({ buyer, seller }) => [buyer, seller]))] as Hex[];
}
