// One relayed operation, one description: its endpoint, its body, what its owner signs, the call that it becomes, and what is special about it.
import type { ContractCall, Contracts } from '@presage/chain';
import type { Address, Bytes32, ErrorCode, Hex, OPERATION_TYPES, OperationType } from '@presage/protocol';
import type { BondSponsor } from '../bond-sponsor.ts';
import type { CallPolicy } from '../call-policy.ts';
import type { NonceUse, Redemption, RelayedCall, RelayerMarkets } from '../ports.ts';
import type { PermitSite } from '../used-permit.ts';
import type { RequestInput } from './request-input.ts';
import type { Signature } from './request-reader.ts';

interface SolidityValues {
  readonly address: Address;
  readonly bool: boolean;
  readonly bytes32: Bytes32;
  readonly uint8: number;
  readonly uint32: number;
  readonly uint64: bigint;
  readonly uint256: bigint;
  readonly 'uint256[]': readonly bigint[];
}

/** Fields that no request names: the chain knows the nonce and the terms of a bond, the signature has the deadline. */
type AddedField = 'nonce' | 'deadline' | 'bond' | 'round';

/** What the owner signs, field by field as its EIP-712 type lists it. */
type OperationMessage<T extends OperationType> = {
  readonly [Field in (typeof OPERATION_TYPES)[T][number] as Exclude<
    Field['name'],
    AddedField
  >]: SolidityValues[Field['type']];
};

/** One signature of a request, and what it is a signature of. */
export interface SignedMessage {
  readonly type: OperationType;
  readonly message: object;
  readonly signature: Signature;
  /** The contract in whose domain it is signed, where the type alone does not say so. */
  readonly contract?: Address;
}

/** A signed message whose fields are those of its type. */
export function signs<T extends OperationType>(
  type: T,
  message: OperationMessage<T>,
  signature: Signature,
): SignedMessage {
  return { type, message, signature };
}

/** Hashes a message in the domain and with the type of a part; other types may give that name to other fields. */
export type HashMessage = (message: object, types?: Readonly<Record<string, unknown>>) => Hex;

/** What calls are made with. */
export interface CallSite {
  readonly contracts: Contracts;
  readonly markets: Pick<RelayerMarkets, 'at' | 'decidedBy'>;
  /** Undefined on a node that pays no bonds. */
  readonly sponsor?: BondSponsor;
}

/** Where an effect that somebody else brought about can be found. */
export interface EffectSite {
  readonly permits: PermitSite;
  readonly markets: RelayerMarkets;
}

/** A call without the nonces and deadlines of its signed messages. */
interface Draft extends ContractCall, Pick<RelayedCall, 'complete'> {
  /** Nonces beyond those of the signed messages. */
  readonly uses?: readonly NonceUse[];
  /** Deadlines beyond those of the signed messages. */
  readonly deadlines?: readonly bigint[];
  /** Replaces the operation's gas where the gas depends on the request. */
  readonly gas?: bigint;
}

/** How an operation is documented and asked for. */
export interface RelayEndpoint<Request> {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Errors beyond those of every relayed operation. */
  readonly errors?: readonly ErrorCode[];
  readonly input: RequestInput<Request>;
}

export interface RelayedOperation<Request> {
  /** Undefined for what comes with an order. */
  readonly endpoint?: RelayEndpoint<Request>;
  /** What the owner signs, in the order of the nonces. */
  readonly signs: (request: Request) => readonly SignedMessage[];
  /** Above what the call takes with cold storage and a token behind a proxy; unused gas is not paid. */
  readonly gas: bigint;
  readonly call: (request: Request, site: CallSite) => Draft;
  /** Throws PresageError naming the argument that the operator does not pay for. */
  readonly check?: (request: Request, policy: CallPolicy) => void;
  /** What the contract says of a bad signature; `InvalidSignature()` by default. */
  readonly signatureFault?: string;
  /** The signed nonce, where the request names it. */
  readonly nonceOf?: (request: Request) => bigint;
  /** The digests that may be signed, where they need more than the message; `hash` is given the message with its nonce. */
  readonly digests?: (
    request: Request,
    site: CallSite,
    hash: HashMessage,
  ) => (message: object) => Promise<readonly Hex[]>;
  /** What is redeemed: it must pay something, or the request is refused after its simulation. */
  readonly redemptions?: (request: Request) => readonly Redemption[];
  /** The transaction by which somebody else had the same effect: empty if it is unknown, undefined if nobody had. */
  readonly findEffect?: (request: Request, reason: string, site: EffectSite) => Promise<Hex | '' | undefined>;
  /** The call proves by itself that its wallet holds something: without shares or money its simulation fails. */
  readonly provesHoldings?: boolean;
  /** The operation of which it is the same transaction. */
  readonly sentAs?: string;
  /** Its effect is read from the chain alone, so that it is confirmed although the journal does not know of its block yet. */
  readonly isReadOnChain?: true;
}

/** Infers the request from the endpoint. */
export function relayedOperation<Request>(operation: RelayedOperation<Request>): RelayedOperation<Request> {
  return operation;
}
