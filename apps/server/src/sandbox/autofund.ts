// Before a fill settles, gives its wallets the test stablecoin and the approvals they lack: the sandbox's courtesy.
import type { ContractCall, Contracts } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import type { PlannedFill } from '../settlement/ports.ts';
import type { FillNeed } from '../wallets/shortfall.ts';
import type { ShortfallReader, WalletApproval } from '../wallets/shortfall-reader.ts';
import type { SandboxNode } from './sandbox-node.ts';

type SandboxCall = ContractCall & { readonly from: Hex };

export interface AutofundOptions {
  readonly node: SandboxNode;
  readonly contracts: Contracts;
  readonly owner: Hex;
  readonly shortfalls: Pick<ShortfallReader, 'approvals' | 'money'>;
}

const UNLIMITED = (1n << 256n) - 1n;

export class Autofund {
  readonly #options: AutofundOptions;

  constructor(options: AutofundOptions) {
    this.#options = options;
  }

  async prepare(fills: readonly PlannedFill[]): Promise<void> {
    const { node, shortfalls } = this.#options;
    const needs = fills.map(toNeed);
    const approvals = (await shortfalls.approvals(needs)).flatMap((approval) => this.#approve(approval));
    const gifts = [...(await shortfalls.money(needs))].map(([wallet, amount]) => this.mint(wallet, amount));
    const calls = [...approvals, ...gifts];
    if (calls.length > 0) await node.sendAs(calls);
  }

  mint(wallet: Hex, amount: bigint): SandboxCall {
    return { from: this.#options.owner, ...this.#options.contracts.stablecoin.call('mint', [wallet, amount]) };
  }

  #approve({ wallet: from, allowance, sharesApproved }: WalletApproval): SandboxCall[] {
    const { stablecoin, conditionalTokens, settlement } = this.#options.contracts;
    const calls: SandboxCall[] = [];
    // Half of everything: a token that counts an endless allowance down would be approved again each time.
    if (allowance < UNLIMITED / 2n) {
      calls.push({ from, ...stablecoin.call('approve', [settlement.address, UNLIMITED]) });
    }
    if (!sharesApproved) {
      calls.push({ from, ...conditionalTokens.call('setApprovalForAll', [settlement.address, true]) });
    }
    return calls;
  }
}

function toNeed({ trade }: PlannedFill): FillNeed {
  const { buyer, seller, marketId, outcome, price, size } = trade;
  return { buyer, seller, marketId, outcome, price, size };
}
