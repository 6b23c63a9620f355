// Describes one relayed operation: its endpoint, its body, what its owner signs, the call that it becomes, and its special rules.
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

/** Fields of signed messages that requests do not name: the nonce and bond terms come from the chain, the deadline from the signature. */
type AddedField = 'nonce' | 'deadline' | 'bond' | 'round';

/** Message that the owner signs, with the fields of its EIP-712 type. */
type OperationMessage<T extends OperationType> = {
  readonly [Field in (typeof OPERATION_TYPES)[T][number] as Exclude<
    Field['name'],
    AddedField
  >]: SolidityValues[Field['type']];
};

/** One signature of a request and the message that it signs. */
export interface SignedMessage {
  readonly type: OperationType;
  readonly message: object;
  readonly signature: Signature;
  /** Contract of the signing domain, if the type alone does not determine it. */
  readonly contract?: Address;
}

/** Creates a signed message; the compiler checks its fields against its type. */
export function signs<T extends OperationType>(
  type: T,
  message: OperationMessage<T>,
  signature: Signature,
): SignedMessage {
  return { type, message, signature };
}

/** Hashes a message in the domain and with the type of a part; `types` may define other fields for that type name. */
export type HashMessage = (message: object, types?: Readonly<Record<string, unknown>>) => Hex;

/** Dependencies for encoding calls. */
export interface CallSite {
  readonly contracts: Contracts;
  readonly markets: Pick<RelayerMarkets, 'at' | 'decidedBy'>;
  /** Undefined on a node that pays no bonds. */
  readonly sponsor?: BondSponsor;
}

/** Dependencies for finding an effect that somebody else brought about. */
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
  /** Replaces the operation's gas if the gas depends on the request. */
  readonly gas?: bigint;
}

/** Endpoint of an operation: its documentation and its input. */
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
  /** Undefined for an operation that comes with an order. */
  readonly endpoint?: RelayEndpoint<Request>;
  /** Messages that the owner signs, in the order of their nonces. */
  readonly signs: (request: Request) => readonly SignedMessage[];
  /** Gas limit: more than the call takes with cold storage and a token behind a proxy; unused gas is not paid. */
  readonly gas: bigint;
  readonly call: (request: Request, site: CallSite) => Draft;
  /** Throws a PresageError that names the argument that the operator does not pay for. */
  readonly check?: (request: Request, policy: CallPolicy) => void;
  /** Error of the contract for a bad signature; default `InvalidSignature()`. */
  readonly signatureFault?: string;
  /** Signed nonce, if the request names it. */
  readonly nonceOf?: (request: Request) => bigint;
  /** Digests that may be signed, if computing them needs more than the message; `hash` gets the message with its nonce. */
  readonly digests?: (
    request: Request,
    site: CallSite,
    hash: HashMessage,
  ) => (message: object) => Promise<readonly Hex[]>;
  /** Redemptions of the request: they must pay something, or the request is refused after its simulation. */
  readonly redemptions?: (request: Request) => readonly Redemption[];
  /** Finds the transaction by which somebody else had the same effect: empty if it is unknown, undefined if there is none. */
  readonly findEffect?: (request: Request, reason: string, site: EffectSite) => Promise<Hex | '' | undefined>;
  /** Whether a successful simulation proves that the wallet holds shares or money. */
  readonly provesHoldings?: boolean;
  /** Name of the operation that sends the same transaction. */
  readonly sentAs?: string;
  /** The effect is read from the chain only, so the operation is confirmed even before the journal has its block. */
  readonly isReadOnChain?: true;
}

/** Infers the request from the endpoint. */
export function relayedOperation<Request>(operation: RelayedOperation<Request>): RelayedOperation<Request> {
  return operation;
}
