// Before a fill settles, gives its wallets the test stablecoin and the approvals they lack: the sandbox's courtesy.
import type { ContractCall, Contracts } from '@presage/chain';
import type { Hex, MarketFacts, MarketId } from '@presage/protocol';
import type { PlannedFill } from '../settlement/ports.ts';
import type { SandboxNode } from './sandbox-node.ts';
import { type FillNeed, findShortfalls, type Holdings, shareKey } from './shortfall.ts';

export interface AutofundOptions {
  readonly node: SandboxNode;
  readonly contracts: Contracts;
  readonly owner: Hex;
  readonly market: (marketId: MarketId) => MarketFacts | undefined;
}

const UNLIMITED = (1n << 256n) - 1n;

export class Autofund {
  readonly #options: AutofundOptions;

  constructor(options: AutofundOptions) {
    this.#options = options;
  }

  async prepare(fills: readonly PlannedFill[]): Promise<void> {
    const needs = fills.map(toNeed);
    const wallets = [...new Set(needs.flatMap(({ buyer, seller }) => [buyer, seller]))] as Hex[];
    const calls = [...(await this.#missingApprovals(wallets)), ...(await this.#gifts(needs, wallets))];
    if (calls.length > 0) await this.#options.node.sendAs(calls);
  }

  mint(wallet: Hex, amount: bigint): ContractCall & { from: Hex } {
    return { from: this.#options.owner, ...this.#options.contracts.stablecoin.call('mint', [wallet, amount]) };
  }

  async #missingApprovals(wallets: readonly Hex[]): Promise<(ContractCall & { from: Hex })[]> {
    const { stablecoin, conditionalTokens, settlement, readTogether } = this.#options.contracts;
    const allowances = await readTogether(
      wallets.map((wallet) => stablecoin.reading('allowance', [wallet, settlement.address])),
    );
    const approvals = await readTogether(
      wallets.map((wallet) => conditionalTokens.reading('isApprovedForAll', [wallet, settlement.address])),
    );
    return wallets.flatMap((from, index) => [
      // Half of everything: a token that counts an endless allowance down would be approved again each time.
      ...((allowances[index] ?? 0n) < UNLIMITED / 2n
        ? [{ from, ...stablecoin.call('approve', [settlement.address, UNLIMITED]) }]
        : []),
      ...(approvals[index]
        ? []
        : [{ from, ...conditionalTokens.call('setApprovalForAll', [settlement.address, true]) }]),
    ]);
  }

  async #gifts(needs: readonly FillNeed[], wallets: readonly Hex[]): Promise<(ContractCall & { from: Hex })[]> {
    const shortfalls = findShortfalls(needs, await this.#holdings(needs, wallets));
    return [...shortfalls].map(([wallet, amount]) => this.mint(wallet as Hex, amount));
  }

  async #holdings(needs: readonly FillNeed[], wallets: readonly Hex[]): Promise<Holdings> {
    const { stablecoin, conditionalTokens, readTogether } = this.#options.contracts;
    const balances = await readTogether(wallets.map((wallet) => stablecoin.reading('balanceOf', [wallet])));
    const keys = new Map<string, { wallet: Hex; tokenId: bigint }>();
    for (const { buyer, seller, marketId, outcome } of needs) {
      for (const wallet of [buyer, seller] as Hex[]) {
        keys.set(shareKey(wallet, marketId, outcome), { wallet, tokenId: this.#tokenId(marketId as Hex, outcome) });
      }
    }
    const places = [...keys.values()];
    const shares = await readTogether(
      places.map(({ wallet, tokenId }) => conditionalTokens.reading('balanceOf', [wallet, tokenId])),
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

function toNeed({ trade }: PlannedFill): FillNeed {
  const { buyer, seller, marketId, outcome, price, size } = trade;
  return { buyer, seller, marketId, outcome, price, size };
}
