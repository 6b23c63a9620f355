// Relay requests as calls of our contracts: the only selectors that the relayer ever sends.
import { createHash } from 'node:crypto';
import type { ContractCall, Contracts } from '@presage/chain';
import type {
  Address,
  AmountRequest,
  BatchRedemptionRequest,
  CtfApprovalRequest,
  CtfRedemptionRequest,
  Hex,
  PermitSignature,
  Redemption,
  RelayerOperation,
  SettleMarketRequest,
  StablecoinPermitRequest,
} from '@presage/protocol';
import { encodeFunctionData, multicall3Abi } from 'viem';
import type { BondSponsor } from './bond-sponsor.ts';
import { useOf } from './nonce-use.ts';
import type { RelayedCall, RelayRequest } from './ports.ts';

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

type Draft = ContractCall &
  Pick<RelayedCall, 'uses' | 'deadlines' | 'parts' | 'complete'> & { readonly gasLimit?: bigint };

export interface RelayedCallsOptions {
  readonly contracts: Contracts;
  readonly multicall: Hex;
  readonly sponsor: BondSponsor;
}

export class RelayedCalls {
  readonly #options: RelayedCallsOptions;

  constructor(options: RelayedCallsOptions) {
    this.#options = options;
  }

  toCall(relayRequest: RelayRequest): RelayedCall {
    const { operation, request } = relayRequest;
    return finish(operation, request.owner, this.#draft(relayRequest));
  }

  /** The permit that came with an order: the settlement contract is its spender. */
  toOrderPermit(owner: Address, permit: PermitSignature): RelayedCall {
    const spender = this.#options.contracts.settlement.address;
    const v = permit.v < 2 ? permit.v + 27 : permit.v;
    return finish('order-permit', owner, this.#permit({ ...permit, v, owner, spender, chainId: 0n }));
  }

  #draft(relayRequest: RelayRequest): Draft {
    switch (relayRequest.operation) {
      case 'ctf-approval':
        return this.#approval(relayRequest.request);
      case 'stablecoin-permit':
        return this.#permit(relayRequest.request);
      case 'ctf-redemption':
        return this.#redemption(relayRequest.request);
      case 'batch-ctf-redemption':
        return this.#batch(relayRequest.request);
      case 'split':
        return this.#split(relayRequest.request);
      case 'merge':
        return this.#ofTokens(
          relayRequest.request,
          this.#tokens.call('mergePositionsBySig', amountArguments(relayRequest.request)),
        );
      case 'propose-resolution':
        return this.#options.sponsor.propose(relayRequest.request);
      case 'settle-market':
        return this.#settle(relayRequest.request);
    }
  }

  get #tokens(): Contracts['conditionalTokens'] {
    return this.#options.contracts.conditionalTokens;
  }

  #approval(request: CtfApprovalRequest): Draft {
    const { owner, operator, approved, deadline, v, r, s } = request;
    return this.#ofTokens(
      request,
      this.#tokens.call('setApprovalForAllBySig', [owner, operator, approved, deadline, v, r, s]),
    );
  }

  #permit({ owner, spender, value, deadline, v, r, s }: StablecoinPermitRequest): Draft {
    const { stablecoin } = this.#options.contracts;
    return {
      ...stablecoin.call('permit', [owner, spender, value, deadline, v, r, s]),
      uses: [useOf(owner, stablecoin.address)],
      deadlines: [deadline],
    };
  }

  /** It draws money by an allowance, so it waits for permits too. */
  #split(request: AmountRequest): Draft {
    const draft = this.#ofTokens(request, this.#tokens.call('splitPositionBySig', amountArguments(request)));
    const { stablecoin } = this.#options.contracts;
    return { ...draft, uses: [...draft.uses, useOf(request.owner, stablecoin.address, 0)] };
  }

  #redemption(request: CtfRedemptionRequest): Draft {
    return this.#ofTokens(request, this.#redeem(request.owner, request));
  }

  #batch({ owner, redemptions }: BatchRedemptionRequest): Draft {
    const parts = redemptions.map((redemption) => this.#redeem(owner, redemption));
    const calls = parts.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }));
    return {
      to: this.#options.multicall,
      data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
      gasLimit: BATCH_BASE_GAS + GAS['ctf-redemption'] * BigInt(parts.length),
      uses: [useOf(owner, this.#tokens.address, parts.length)],
      deadlines: redemptions.map(({ deadline }) => deadline),
      parts,
    };
  }

  #redeem(owner: Address, redemption: Redemption): ContractCall {
    const { collateralToken, parentCollectionId, conditionId, indexSets, deadline, v, r, s } = redemption;
    const what = [owner, collateralToken, parentCollectionId, conditionId, indexSets] as const;
    return this.#tokens.call('redeemPositionsBySig', [...what, deadline, v, r, s]);
  }

  #settle({ marketAddress, owner, winningOutcome, deadline, v, r, s }: SettleMarketRequest): Draft {
    const market = this.#options.contracts.market(marketAddress);
    return {
      ...market.call('settleBySig', [owner, winningOutcome, deadline, v, r, s]),
      uses: [useOf(owner, marketAddress)],
      deadlines: [deadline],
    };
  }

  #ofTokens({ owner, deadline }: Pick<AmountRequest, 'owner' | 'deadline'>, call: ContractCall): Draft {
    return { ...call, uses: [useOf(owner, this.#tokens.address)], deadlines: [deadline] };
  }
}

function finish(operation: RelayerOperation, owner: Address, draft: Draft): RelayedCall {
  return { operation, owner, gasLimit: GAS[operation], digest: digestOf(operation, draft), ...draft };
}

/** The calldata holds every signed field and the signature. */
function digestOf(operation: RelayerOperation, { to, data }: ContractCall): string {
  // An order's permit and the same permit posted by itself are one transaction.
  const kind = operation === 'order-permit' ? 'stablecoin-permit' : operation;
  return createHash('sha256').update(`${kind}|${to}|${data}`.toLowerCase()).digest('hex');
}

function amountArguments({ owner, collateralToken, conditionId, amount, deadline, v, r, s }: AmountRequest) {
  return [owner, collateralToken, conditionId, amount, deadline, v, r, s] as const;
}
