// Converts relay requests to calls of our contracts, with everything needed to judge and to send them.
import { createHash } from 'node:crypto';
import type { ContractCall } from '@presage/chain';
import type { Address, PermitSignature, RelayerOperation } from '@presage/protocol';
import { size } from 'viem';
import { useOf } from './nonce-use.ts';
import type { CallSite, RelayedOperation, SignedMessage } from './operations/operation.ts';
import { OPERATIONS, type RelayRequest } from './operations/operations.ts';
import type { NonceUse, RelayedCall, SignedPart } from './ports.ts';
import { hasNonce, type SigningDomains, toSignedPart } from './signed-parts.ts';

/** Gas that a contract wallet may take to check a signature, including the bytes that it is called with. */
const WALLET_GAS = 300_000n;
const KEY_BYTES = 65;

export interface RelayedCallsOptions extends CallSite {
  readonly domains: SigningDomains;
}

export class RelayedCalls {
  readonly #options: RelayedCallsOptions;

  constructor(options: RelayedCallsOptions) {
    this.#options = options;
  }

  toCall<Name extends RelayerOperation>({ operation: name, request }: RelayRequest<Name>): RelayedCall {
    const operation = OPERATIONS[name];
    const messages = operation.signs(request);
    const signed = messages.map((message) => this.#toPart(operation, request, message));
    const { uses = [], deadlines = [], gas = operation.gas, ...call } = operation.call(request, this.#options);
    const wallets = signed.filter(({ signature }) => size(signature) !== KEY_BYTES).length;
    return {
      ...call,
      operation: name,
      owner: request.owner,
      digest: digestOf(operation.sentAs ?? name, call),
      signed,
      uses: [...usesOf(messages, signed), ...uses],
      deadlines: [...messages.map(({ signature }) => signature.deadline), ...deadlines],
      gasLimit: gas + WALLET_GAS * BigInt(wallets),
    };
  }

  /** Converts the permit of an order, whose spender is the settlement contract. */
  toOrderPermit(owner: Address, permit: PermitSignature): RelayedCall {
    const spender = this.#options.contracts.settlement.address;
    const v = permit.v < 2 ? permit.v + 27 : permit.v;
    return this.toCall({ operation: 'order-permit', request: { ...permit, v, owner, spender, chainId: 0n } });
  }

  #toPart<Request extends Pick<RelayedCall, 'owner'>>(
    { signatureFault, nonceOf, digests }: RelayedOperation<Request>,
    request: Request,
    message: SignedMessage,
  ): SignedPart {
    return toSignedPart(this.#options.domains, request.owner, message, {
      fault: signatureFault ?? 'InvalidSignature()',
      ...(nonceOf && { nonce: nonceOf(request) }),
      ...(digests && { digests: (hash) => digests(request, this.#options, hash) }),
    });
  }
}

/** Nonces that a request uses: all its messages are signed for one contract. */
function usesOf(messages: readonly SignedMessage[], [first]: readonly SignedPart[]): NonceUse[] {
  const count = messages.filter(({ type }) => hasNonce(type)).length;
  return first === undefined ? [] : [useOf(first.owner, first.contract, count)];
}

/** Identifies a request by its calldata, which holds every signed field and the signature. */
function digestOf(name: string, { to, data }: ContractCall): string {
  return createHash('sha256').update(`${name}|${to}|${data}`.toLowerCase()).digest('hex');
}
