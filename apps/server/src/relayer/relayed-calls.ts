// Relay requests as calls of our contracts: the only selectors that the relayer ever sends.
import { createHash } from 'node:crypto';
import type { ContractCall, Contracts } from '@presage/chain';
import type {
  Address,
  AmountRequest,
  BatchRedemptionRequest,
  CancelOrderRequest,
  CtfApprovalRequest,
  CtfRedemptionRequest,
  HaltRequest,
  InvalidateNonceRequest,
  PermitSignature,
  Redemption,
  RelayerOperation,
  SettleMarketRequest,
  StablecoinPermitRequest,
} from '@presage/protocol';
import { size } from 'viem';
import type { BondSponsor } from './bond-sponsor.ts';
import { useOf } from './nonce-use.ts';
import type { RelayedCall, RelayRequest } from './ports.ts';
import { proofOf, toSignatureBytes } from './signature-proof.ts';
import type { SignedParts } from './signed-parts.ts';

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
  'cancel-order': 200_000n,
  'halt-trading': 200_000n,
  'resume-trading': 200_000n,
  'invalidate-nonce': 200_000n,
};
/** What a wallet that is a contract may take to check a signature, with the bytes that it is asked about. */
const WALLET_GAS = 300_000n;
const KEY_BYTES = 65;
const BATCH_BASE_GAS = 100_000n;

type Draft = ContractCall & Pick<RelayedCall, 'uses' | 'deadlines' | 'complete'> & { readonly gasLimit?: bigint };

export interface RelayedCallsOptions {
  readonly contracts: Contracts;
  readonly sponsor: BondSponsor;
  readonly signed: SignedParts;
}

export class RelayedCalls {
  readonly #options: RelayedCallsOptions;

  constructor(options: RelayedCallsOptions) {
    this.#options = options;
  }

  toCall(relayRequest: RelayRequest): RelayedCall {
    const { operation, request } = relayRequest;
    const signed = this.#options.signed.of(relayRequest);
    return finish(operation, request.owner, { ...this.#draft(relayRequest), signed });
  }

  /** The permit that came with an order: the settlement contract is its spender. */
  toOrderPermit(owner: Address, permit: PermitSignature): RelayedCall {
    const spender = this.#options.contracts.settlement.address;
    const v = permit.v < 2 ? permit.v + 27 : permit.v;
    const request = { ...permit, v, owner, spender, chainId: 0n };
    const signed = [{ ...this.#options.signed.permit(request), nonce: permit.nonce }];
    return finish('order-permit', owner, { ...this.#permit(request), signed });
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
      case 'cancel-order':
        return this.#cancel(relayRequest.request);
      case 'halt-trading':
        return this.#halt('haltTradingBySig', relayRequest.request);
      case 'resume-trading':
        return this.#halt('resumeTradingBySig', relayRequest.request);
      case 'invalidate-nonce':
        return this.#invalidate(relayRequest.request);
    }
  }

  get #tokens(): Contracts['conditionalTokens'] {
    return this.#options.contracts.conditionalTokens;
  }

  #approval(request: CtfApprovalRequest): Draft {
    const { owner, operator, approved } = request;
    return this.#ofTokens(
      request,
      this.#tokens.call('setApprovalForAllBySig', [owner, operator, approved, ...proofOf(request)]),
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

  /** By their nonces the contract knows, and passes over, those that somebody else has carried out. */
  #batch({ owner, redemptions }: BatchRedemptionRequest): Draft {
    const encode = (nonces: readonly bigint[], count = redemptions.length) =>
      this.#tokens.call('redeemPositionsBatchBySig', [
        redemptions
          .slice(0, count)
          .map(({ collateralToken, parentCollectionId, conditionId, indexSets, deadline, ...proof }, index) => {
            const what = { owner, collateralToken, parentCollectionId, conditionId, indexSets };
            const signature = toSignatureBytes({ deadline, ...proof });
            return { ...what, nonce: nonces[index] ?? 0n, deadline, signature };
          }),
      ]);
    return {
      ...encode([]),
      complete: async (nonces) => ({
        data: encode(nonces).data,
        prefixes: redemptions.map((_, index) => encode(nonces, index + 1).data),
      }),
      gasLimit: BATCH_BASE_GAS + GAS['ctf-redemption'] * BigInt(redemptions.length),
      uses: [useOf(owner, this.#tokens.address, redemptions.length)],
      deadlines: redemptions.map(({ deadline }) => deadline),
    };
  }

  #redeem(owner: Address, redemption: Redemption): ContractCall {
    const { collateralToken, parentCollectionId, conditionId, indexSets } = redemption;
    const what = [owner, collateralToken, parentCollectionId, conditionId, indexSets] as const;
    return this.#tokens.call('redeemPositionsBySig', [...what, ...proofOf(redemption)]);
  }

  #settle(request: SettleMarketRequest): Draft {
    const { marketAddress, owner, winningOutcome, deadline } = request;
    const market = this.#options.contracts.market(marketAddress);
    return {
      ...market.call('settleBySig', [owner, winningOutcome, ...proofOf(request)]),
      uses: [useOf(owner, marketAddress)],
      deadlines: [deadline],
    };
  }

  /** It uses no nonce: an order is cancelled once. */
  #cancel(request: CancelOrderRequest): Draft {
    const { owner, marketId, orderNonce, deadline } = request;
    const { settlement } = this.#options.contracts;
    const args = [owner, marketId, orderNonce, deadline, toSignatureBytes(request)] as const;
    return {
      ...settlement.call('requestCancelBySig', args),
      uses: [useOf(owner, settlement.address, 0)],
      deadlines: [deadline],
    };
  }

  #halt(name: 'haltTradingBySig' | 'resumeTradingBySig', request: HaltRequest): Draft {
    const { owner, deadline } = request;
    const { settlement } = this.#options.contracts;
    return {
      ...settlement.call(name, [owner, deadline, toSignatureBytes(request)]),
      uses: [useOf(owner, settlement.address)],
      deadlines: [deadline],
    };
  }

  /** Settlement, conditional tokens and markets count the operations of their owners alike. */
  #invalidate(request: InvalidateNonceRequest): Draft {
    const { owner, contract, deadline } = request;
    const args = [owner, deadline, toSignatureBytes(request)] as const;
    return {
      ...this.#options.contracts.market(contract).call('invalidateNonceBySig', args),
      uses: [useOf(owner, contract)],
      deadlines: [deadline],
    };
  }

  #ofTokens({ owner, deadline }: Pick<AmountRequest, 'owner' | 'deadline'>, call: ContractCall): Draft {
    return { ...call, uses: [useOf(owner, this.#tokens.address)], deadlines: [deadline] };
  }
}

function finish(operation: RelayerOperation, owner: Address, draft: Draft & Pick<RelayedCall, 'signed'>): RelayedCall {
  const wallets = draft.signed.filter(({ signature }) => size(signature) !== KEY_BYTES).length;
  const gasLimit = (draft.gasLimit ?? GAS[operation]) + WALLET_GAS * BigInt(wallets);
  return { operation, owner, digest: digestOf(operation, draft), ...draft, gasLimit };
}

/** The calldata holds every signed field and the signature. */
function digestOf(operation: RelayerOperation, { to, data }: ContractCall): string {
  // An order's permit and the same permit posted by itself are one transaction.
  const kind = operation === 'order-permit' ? 'stablecoin-permit' : operation;
  return createHash('sha256').update(`${kind}|${to}|${data}`.toLowerCase()).digest('hex');
}

function amountArguments(request: AmountRequest) {
  const { owner, collateralToken, conditionId, amount } = request;
  return [owner, collateralToken, conditionId, amount, ...proofOf(request)] as const;
}
