// Gives wallets the test stablecoin and approvals that they lack before their fills settle; only in the sandbox.
import type { Contracts } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import type { PlannedFill, WalletPreparation } from '../settlement/ports.ts';
import type { ShortfallReader, WalletApproval } from '../wallets/shortfall-reader.ts';
import { AssumedHoldings } from './assumed-holdings.ts';
import type { SandboxCall, SandboxNode } from './sandbox-node.ts';
import { type FillNeed, findShortfalls, type Holdings } from './shortfall.ts';

/** A chain whose contracts the sandbox owns. */
export interface OwnedChain {
  readonly node: SandboxNode;
  readonly contracts: Contracts;
  /** Owns the contracts and creates the markets. */
  readonly owner: Hex;
  readonly disputer: Hex;
  readonly shortfalls: Pick<ShortfallReader, 'approvals' | 'holdings'>;
}

/** An owned chain with automatic funding. */
export type SandboxChain = OwnedChain & { readonly autofund: Autofund };

const UNLIMITED = (1n << 256n) - 1n;
/** Time within which a wallet that lacks funds again gets an advance; one that trades by hand takes longer. */
const BURST_MS = 10_000;
/** Maximum gas of a mint among others; two hundred, for a full batch of fills, stay below the cap of a transaction. */
const MINT_GAS = 60_000n;
const GATHERED_GAS = 200_000n;
/** Maximum size of the caches, above which they are cleared. */
const MAX_APPROVED = 50_000;

export class Autofund implements WalletPreparation {
  readonly #chain: OwnedChain;
  readonly #holdings: AssumedHoldings;
  /** Wallets that had approved everything at the last check. */
  readonly #approved = new Set<Hex>();
  readonly #lastGifts = new Map<Hex, { readonly amount: bigint; readonly givenMs: number }>();

  constructor(chain: OwnedChain) {
    this.#chain = chain;
    this.#holdings = new AssumedHoldings(chain.shortfalls, () => performance.now());
  }

  /**
   * Sends everything that the wallets lack in one request. Skips a failed call or mint: its own fill will fail, and
   * the others settle.
   */
  async prepare(fills: readonly PlannedFill[]): Promise<ReadonlySet<string>> {
    const needs = fills.map(toNeed);
    const wallets = [...new Set(needs.flatMap(({ buyer, seller }) => [buyer, seller]))];
    const strangers = wallets.filter((wallet) => !this.#approved.has(wallet));
    const [approvals, { holdings, assumed }] = await Promise.all([
      this.#chain.shortfalls.approvals(strangers),
      this.#holdings.of(needs),
    ]);
    const gifts = this.#withAdvance(findShortfalls(needs, holdings), holdings);
    this.#holdings.keep(holdings);
    const calls = [...approvals.flatMap((approval) => this.#approve(approval)), ...this.#mintTogether([...gifts])];
    if (calls.length > 0) await this.#chain.node.sendTogether(calls);
    if (this.#approved.size > MAX_APPROVED) this.#approved.clear();
    for (const wallet of strangers) this.#approved.add(wallet);
    const isStranger = new Set<string>(strangers);
    return new Set([...assumed, ...wallets.filter((wallet) => !isStranger.has(wallet))]);
  }

  invalidate(wallets: readonly Hex[]): void {
    for (const wallet of wallets) {
      this.#approved.delete(wallet);
      this.#holdings.invalidate(wallet);
    }
  }

  /** Adds an advance of twice the last gift for a wallet that lacked funds moments ago. */
  #withAdvance(lacking: ReadonlyMap<Hex, bigint>, { money }: Holdings<Hex>): Map<Hex, bigint> {
    const nowMs = performance.now();
    if (this.#lastGifts.size > MAX_APPROVED) this.#lastGifts.clear();
    const gifts = [...lacking].map(([wallet, amount]) => {
      const last = this.#lastGifts.get(wallet);
      const advance = last !== undefined && nowMs - last.givenMs < BURST_MS ? 2n * last.amount : 0n;
      this.#lastGifts.set(wallet, { amount: amount + advance, givenMs: nowMs });
      money.set(wallet, (money.get(wallet) ?? 0n) + advance);
      return [wallet, amount + advance] as const;
    });
    return new Map(gifts);
  }

  mint(wallet: Hex, amount: bigint): SandboxCall {
    return { from: this.#chain.owner, ...this.#chain.contracts.stablecoin.call('mint', [wallet, amount]) };
  }

  /** Mints in one transaction: accepting, mining and saving a hundred takes the chain longer than executing them. */
  #mintTogether(gifts: readonly (readonly [Hex, bigint])[]): SandboxCall[] {
    if (gifts.length === 0) return [];
    const gas = GATHERED_GAS + BigInt(gifts.length) * MINT_GAS;
    const mints = gifts.map(([wallet, amount]) => this.mint(wallet, amount));
    return [{ from: this.#chain.owner, ...this.#chain.contracts.callTogether(mints), gas }];
  }

  #approve({ wallet: from, allowance, sharesApproved }: WalletApproval): SandboxCall[] {
    const { stablecoin, conditionalTokens, settlement } = this.#chain.contracts;
    const calls: SandboxCall[] = [];
    // Compared with half, because some tokens decrease an unlimited allowance.
    if (allowance < UNLIMITED / 2n) {
      calls.push({ from, ...stablecoin.call('approve', [settlement.address, UNLIMITED]) });
    }
    if (!sharesApproved) {
      calls.push({ from, ...conditionalTokens.call('setApprovalForAll', [settlement.address, true]) });
    }
    return calls;
  }
}

function toNeed({ trade }: PlannedFill): FillNeed<Hex> {
  const { buyer, seller, marketId, outcome, price, size, takerSide, fee = 0, makerRebate = 0 } = trade;
  return { buyer, seller, marketId, outcome, price, size, takerSide, fee, makerRebate };
}
