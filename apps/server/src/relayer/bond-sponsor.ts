// Pays the bonds of proposals that have no permit of their own: the operator signs one, within a budget.
import { type Address, type Hex, OPERATION_TYPES, type SigningDomain } from '@presage/protocol';
import { type LocalAccount, parseSignature } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import type { BondBudget } from './bond-budget.ts';
import type { Signature } from './operations/request-reader.ts';

export interface BondSponsorOptions {
  readonly account: LocalAccount;
  /** EIP-712 domain of the stablecoin. */
  readonly domain: SigningDomain;
  readonly budget: BondBudget;
}

export class BondSponsor {
  readonly #context: ChainContext;
  readonly #options: BondSponsorOptions;

  constructor(context: ChainContext, options: BondSponsorOptions) {
    this.#context = context;
    this.#options = options;
  }

  get address(): Hex {
    return this.#options.account.address;
  }

  /** Signs a permit for one bond. It is public at once, so it does not live longer than the proposal. */
  async signBond(marketAddress: Address, deadline: bigint): Promise<{ bond: bigint; permit: Signature }> {
    const { account, domain, budget } = this.#options;
    const { contracts } = this.#context;
    const [value, nonce] = await contracts.readTogether(
      [contracts.market(marketAddress).reading('bond', []), contracts.stablecoin.reading('nonces', [account.address])],
      { block: 'pending' },
    );
    budget.check(value);
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
