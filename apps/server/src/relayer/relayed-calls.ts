// Wishes as calls of our contracts: the only selectors that the relayer ever sends. Pure.
import { createHash } from 'node:crypto';
import type { ContractCall, Contracts } from '@presage/chain';
import type {
  Address,
  AmountRequest,
  CtfApprovalRequest,
  CtfRedemptionRequest,
  PermitSignature,
  Redemption,
  RelayerOperation,
  StablecoinPermitRequest,
} from '@presage/protocol';
import { encodeFunctionData, multicall3Abi } from 'viem';
import type { RelayedCall, RelayWish } from './ports.ts';

type Hex = `0x${string}`;

/** Above what each takes with cold storage and a token behind a proxy; what is not used is not paid. */
const GAS: Readonly<Record<RelayerOperation, bigint>> = {
  'ctf-approval': 200_000n,
  'stablecoin-permit': 200_000n,
  'order-permit': 200_000n,
  'ctf-redemption': 500_000n,
  'batch-ctf-redemption': 500_000n,
  split: 500_000n,
  merge: 500_000n,
  'propose-resolution': 2_000_000n,
  'settle-market': 2_000_000n,
};
const BATCH_BASE_GAS = 100_000n;

type Draft = ContractCall & Pick<RelayedCall, 'uses' | 'deadlines' | 'parts'> & { readonly gasLimit?: bigint };

export class RelayedCalls {
  readonly #contracts: Contracts;
  readonly #multicall: Hex;

  constructor(contracts: Contracts, multicall: Hex) {
    this.#contracts = contracts;
    this.#multicall = multicall;
  }

  toCall(wish: RelayWish): RelayedCall {
    const { operation, request } = wish;
    return { operation, owner: request.owner, gasLimit: GAS[operation], ...this.#draft(wish) };
  }

  /** The permit that came with an order: the settlement contract is its spender. */
  toOrderPermit(owner: Address, permit: PermitSignature): RelayedCall {
    const spender = this.#contracts.settlement.address;
    const draft = this.#permit({ ...permit, owner, spender, chainId: 0n });
    return { operation: 'order-permit', owner, gasLimit: GAS['order-permit'], ...draft };
  }

  #draft(wish: RelayWish): Draft {
    switch (wish.operation) {
      case 'ctf-approval':
        return this.#approval(wish.request);
      case 'stablecoin-permit':
        return this.#permit(wish.request);
      case 'ctf-redemption':
        return this.#redemption(wish.request);
      case 'batch-ctf-redemption':
        return this.#batch(wish.request);
      case 'split':
        return this.#split(wish.request);
      case 'merge':
        return this.#ofTokens(wish.request, this.#tokens.call('mergePositionsBySig', amountArguments(wish.request)));
      default:
        throw new Error(`no call for ${wish.operation}`);
    }
  }

  get #tokens(): Contracts['conditionalTokens'] {
    return this.#contracts.conditionalTokens;
  }

  #approval(request: CtfApprovalRequest): Draft {
    const { owner, operator, approved, deadline, v, r, s } = request;
    return this.#ofTokens(
      request,
      this.#tokens.call('setApprovalForAllBySig', [owner, operator, approved, deadline, v, r, s]),
    );
  }

  #permit({ owner, spender, value, deadline, v, r, s }: StablecoinPermitRequest): Draft {
    const { stablecoin } = this.#contracts;
    return {
      ...stablecoin.call('permit', [owner, spender, value, deadline, v, r, s]),
      uses: [{ contract: lower(stablecoin.address), count: 1 }],
      deadlines: [deadline],
    };
  }

  /** It draws money by an allowance, so it waits for permits too. */
  #split(request: AmountRequest): Draft {
    const draft = this.#ofTokens(request, this.#tokens.call('splitPositionBySig', amountArguments(request)));
    return { ...draft, uses: [...draft.uses, { contract: lower(this.#contracts.stablecoin.address), count: 0 }] };
  }

  #redemption(request: CtfRedemptionRequest): Draft {
    return this.#ofTokens(request, this.#redeem(request.owner, request));
  }

  #batch({ owner, redemptions }: Extract<RelayWish, { operation: 'batch-ctf-redemption' }>['request']): Draft {
    const parts = redemptions.map((redemption) => this.#redeem(owner, redemption));
    const calls = parts.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }));
    return {
      to: this.#multicall,
      data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
      gasLimit: BATCH_BASE_GAS + GAS['ctf-redemption'] * BigInt(parts.length),
      uses: [{ contract: lower(this.#tokens.address), count: parts.length }],
      deadlines: redemptions.map(({ deadline }) => deadline),
      parts,
    };
  }

  #redeem(owner: Address, redemption: Redemption): ContractCall {
    const { collateralToken, parentCollectionId, conditionId, indexSets, deadline, v, r, s } = redemption;
    const what = [owner, collateralToken, parentCollectionId, conditionId, indexSets] as const;
    return this.#tokens.call('redeemPositionsBySig', [...what, deadline, v, r, s]);
  }

  #ofTokens({ deadline }: { readonly deadline: bigint }, call: ContractCall): Draft {
    return { ...call, uses: [{ contract: lower(this.#tokens.address), count: 1 }], deadlines: [deadline] };
  }
}

/** The calldata holds every signed field and the signature. */
export function digestOf({ operation, to, data }: RelayedCall): string {
  // An order's permit and the same permit posted by itself are one transaction.
  const kind = operation === 'order-permit' ? 'stablecoin-permit' : operation;
  return createHash('sha256').update(`${kind}|${to}|${data}`.toLowerCase()).digest('hex');
}

function amountArguments({ owner, collateralToken, conditionId, amount, deadline, v, r, s }: AmountRequest) {
  return [owner, collateralToken, conditionId, amount, deadline, v, r, s] as const;
}

function lower(address: Hex): Address {
  return address.toLowerCase() as Address;
}
