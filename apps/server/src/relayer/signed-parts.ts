// What the owner of a relayed request signed, for any nonce: the digests that its signature may be of.
import type { Contracts } from '@presage/chain';
import {
  type Address,
  type AmountRequest,
  type CancelOrderRequest,
  type CtfApprovalRequest,
  type HaltRequest,
  type Hex,
  type InvalidateNonceRequest,
  MARKET_DOMAIN_NAME,
  OPERATION_TYPES,
  type ProposeResolutionRequest,
  type Redemption,
  type SettleMarketRequest,
  type Signature,
  type SigningDomain,
  SPONSORED_PROPOSAL_TYPES,
  type StablecoinPermitRequest,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { hashTypedData } from 'viem';
import type { RelayRequest, SignedPart } from './ports.ts';
import { toSignatureBytes } from './signature-proof.ts';

export interface SignedPartsOptions {
  readonly contracts: Contracts;
  readonly domains: Readonly<Record<'settlement' | 'stablecoin' | 'conditionalTokens', SigningDomain>>;
}

type Message = Readonly<Record<string, unknown>>;

export class SignedParts {
  readonly #options: SignedPartsOptions;

  constructor(options: SignedPartsOptions) {
    this.#options = options;
  }

  of({ operation, request }: RelayRequest): SignedPart[] {
    switch (operation) {
      case 'ctf-approval':
        return [this.#approval(request)];
      case 'stablecoin-permit':
        return [this.permit(request)];
      case 'ctf-redemption':
        return [this.#redemption(request.owner, request)];
      case 'batch-ctf-redemption':
        return request.redemptions.map((redemption) => this.#redemption(request.owner, redemption));
      case 'split':
        return [this.#amount('SplitPosition', request)];
      case 'merge':
        return [this.#amount('MergePositions', request)];
      case 'propose-resolution':
        return [this.#proposal(request)];
      case 'settle-market':
        return [this.#settling(request)];
      case 'cancel-order':
        return [this.#cancelling(request)];
      case 'halt-trading':
        return [this.#halting('HaltTrading', request)];
      case 'resume-trading':
        return [this.#halting('ResumeTrading', request)];
      case 'invalidate-nonce':
        return [this.#invalidating(request)];
    }
  }

  permit({ owner, spender, value, ...signature }: Omit<StablecoinPermitRequest, 'chainId'>): SignedPart {
    const part = toPart(this.#options.domains.stablecoin, 'Permit', {
      owner,
      message: { owner, spender, value },
      signature,
    });
    return { ...part, fault: 'InvalidPermit()' };
  }

  #approval({ owner, operator, approved, ...signature }: CtfApprovalRequest): SignedPart {
    return this.#ofTokens('SetApprovalForAll', { owner, message: { owner, operator, approved }, signature });
  }

  #redemption(owner: Address, redemption: Redemption): SignedPart {
    const { collateralToken, parentCollectionId, conditionId, indexSets, ...signature } = redemption;
    const message = { owner, collateralToken, parentCollectionId, conditionId, indexSets };
    return this.#ofTokens('RedeemPositions', { owner, message, signature });
  }

  #amount(type: 'SplitPosition' | 'MergePositions', request: AmountRequest): SignedPart {
    const { owner, collateralToken, conditionId, amount, ...signature } = request;
    return this.#ofTokens(type, { owner, message: { owner, collateralToken, conditionId, amount }, signature });
  }

  #settling({ owner, marketAddress: market, winningOutcome, ...signature }: SettleMarketRequest): SignedPart {
    const message = { market, settler: owner, winningOutcome };
    return toPart(this.#marketDomain(market), 'SettleMarket', { owner, message, signature });
  }

  /** Bond and round are the chain's to say; who has a sponsor pay may have signed the short form. */
  #proposal(request: ProposeResolutionRequest): SignedPart {
    const { owner, marketAddress: market, outcome, bondPermit, deadline } = request;
    const domain = this.#marketDomain(market);
    const whole = { market, proposer: owner, outcome, payer: bondPermit ? owner : ZERO_ADDRESS };
    const part = toPart(domain, 'ProposeResolution', { owner, message: whole, signature: request });
    let terms: Promise<Message> | undefined;
    const digestsAt = async (nonce: bigint): Promise<Hex[]> => {
      terms ??= this.#proposalTerms(market);
      const message = { ...whole, ...(await terms), nonce, deadline };
      const long = hashTypedData({
        domain,
        types: OPERATION_TYPES,
        primaryType: 'ProposeResolution',
        message,
      } as never);
      if (bondPermit !== undefined || outcome > 1) return [long];
      const short = { market, proposer: owner, outcome: outcome === YES, nonce, deadline };
      const types = SPONSORED_PROPOSAL_TYPES;
      return [long, hashTypedData({ domain, types, primaryType: 'ProposeResolution', message: short })];
    };
    return { ...part, digestsAt };
  }

  async #proposalTerms(address: Address): Promise<Message> {
    const { contracts } = this.#options;
    const market = contracts.market(address);
    const reads = [market.reading('bond', []), market.reading('resolution', [])] as const;
    const [bond, { round }] = await contracts.readTogether(reads, { block: 'pending' });
    return { bond, round: round + 1 };
  }

  #cancelling({ owner, marketId, orderNonce, ...signature }: CancelOrderRequest): SignedPart {
    const message = { trader: owner, marketId, orderNonce };
    return { ...toPart(this.#options.domains.settlement, 'CancelOrder', { owner, message, signature }), nonce: 0n };
  }

  #halting(type: 'HaltTrading' | 'ResumeTrading', { owner, ...signature }: HaltRequest): SignedPart {
    return toPart(this.#options.domains.settlement, type, { owner, message: { trader: owner }, signature });
  }

  #invalidating({ owner, contract, ...signature }: InvalidateNonceRequest): SignedPart {
    return toPart(this.#domainAt(contract), 'InvalidateNonce', { owner, message: { owner }, signature });
  }

  #domainAt(contract: Address): SigningDomain {
    const { settlement, conditionalTokens } = this.#options.domains;
    const named = [settlement, conditionalTokens].find((each) => each.verifyingContract.toLowerCase() === contract);
    return named ?? this.#marketDomain(contract);
  }

  #ofTokens(type: keyof typeof OPERATION_TYPES, signed: SignedMessage): SignedPart {
    return toPart(this.#options.domains.conditionalTokens, type, signed);
  }

  #marketDomain(market: Address): SigningDomain {
    const { chainId } = this.#options.domains.stablecoin;
    return { name: MARKET_DOMAIN_NAME, version: '1', chainId, verifyingContract: market };
  }
}

interface SignedMessage {
  readonly owner: Address;
  /** All but nonce and deadline. */
  readonly message: Message;
  readonly signature: Signature;
}

function toPart(
  domain: SigningDomain,
  primaryType: keyof typeof OPERATION_TYPES,
  { owner, message, signature }: SignedMessage,
): SignedPart {
  const { deadline } = signature;
  return {
    owner,
    contract: domain.verifyingContract.toLowerCase() as Address,
    signature: toSignatureBytes(signature),
    fault: 'InvalidSignature()',
    // viem derives the type of a message from the name of its type, which varies here.
    digestsAt: (nonce) => [
      hashTypedData({ domain, types: OPERATION_TYPES, primaryType, message: { ...message, nonce, deadline } } as never),
    ],
  };
}
