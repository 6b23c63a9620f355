// Proposals and who pays their bond: the proposer by a permit, or the operator, who then signs a permit of their own.
import type { ContractCall, Contracts } from '@presage/chain';
import {
  type Hex,
  OPERATION_TYPES,
  type ProposeResolutionRequest,
  type Signature,
  type SigningDomain,
} from '@presage/protocol';
import { type LocalAccount, parseSignature } from 'viem';
import type { BondBudget } from './bond-budget.ts';
import { useOf } from './nonce-use.ts';
import type { CompletedCall, RelayedCall } from './ports.ts';
import { proofOf } from './signature-proof.ts';

export interface BondSponsorOptions {
  readonly contracts: Contracts;
  readonly account: LocalAccount;
  /** The stablecoin's. */
  readonly domain: SigningDomain;
  readonly budget: BondBudget;
}

type Proposal = ContractCall & Pick<RelayedCall, 'uses' | 'deadlines' | 'complete'>;

/** What the operator signs is public at once and good for one bond: it need not live longer than the proposal. */
const NO_PERMIT: Signature = { deadline: 0n, v: 0, r: `0x${'00'.repeat(32)}` as Hex, s: `0x${'00'.repeat(32)}` as Hex };

export class BondSponsor {
  readonly #options: BondSponsorOptions;

  constructor(options: BondSponsorOptions) {
    this.#options = options;
  }

  propose(request: ProposeResolutionRequest): Proposal {
    const { owner, marketAddress, deadline, bondPermit } = request;
    const { account, domain } = this.#options;
    const uses = [useOf(owner, marketAddress)];
    if (bondPermit !== undefined) {
      const call = this.#encode(request, owner, bondPermit);
      return {
        ...call,
        uses: [...uses, useOf(owner, domain.verifyingContract)],
        deadlines: [deadline, bondPermit.deadline],
      };
    }
    return {
      ...this.#encode(request, account.address, NO_PERMIT),
      uses: [...uses, useOf(account.address, domain.verifyingContract)],
      deadlines: [deadline],
      complete: () => this.#sponsor(request),
    };
  }

  #encode(
    request: ProposeResolutionRequest,
    payer: Hex,
    { deadline: permitDeadline, v, r, s }: Signature,
  ): ContractCall {
    const market = this.#options.contracts.market(request.marketAddress);
    const payment = { payer, permitDeadline, v, r, s };
    const { owner, outcome } = request;
    return market.call('proposeResolutionBySig', [owner, outcome, ...proofOf(request), payment]);
  }

  /** Others that draw on the budget wait behind this one: all of them use the operator's nonce at the stablecoin. */
  async #sponsor(request: ProposeResolutionRequest): Promise<CompletedCall> {
    const { account, budget } = this.#options;
    const { bond, permit } = await this.#signBond(request);
    budget.check(bond);
    return { data: this.#encode(request, account.address, permit).data, bond };
  }

  async #signBond({ marketAddress, deadline }: ProposeResolutionRequest): Promise<{ bond: bigint; permit: Signature }> {
    const { account, contracts, domain } = this.#options;
    const [value, nonce] = await contracts.readTogether(
      [contracts.market(marketAddress).reading('bond', []), contracts.stablecoin.reading('nonces', [account.address])],
      { block: 'pending' },
    );
    const signature = await account.signTypedData({
      domain,
      types: OPERATION_TYPES,
      primaryType: 'Permit',
      message: { owner: account.address, spender: marketAddress, value, nonce, deadline },
    });
    const { r, s, yParity } = parseSignature(signature);
    return { bond: value, permit: { deadline, v: 27 + yParity, r, s } };
  }
}
