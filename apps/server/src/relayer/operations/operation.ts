// The service's half of a relayed operation: its gas, the call that it becomes, and what is special about it.
import type { ContractCall, Contracts } from '@presage/chain';
import type { Hex, Redemption, RelayOperation, SignedMessage } from '@presage/protocol';
import type { BondSponsor } from '../bond-sponsor.ts';
import type { CallPolicy } from '../call-policy.ts';
import type { NonceUse, RelayedCall, RelayerMarkets } from '../ports.ts';
import type { HashMessage } from '../signed-parts.ts';
import type { PermitSite } from '../used-permit.ts';

/** What calls are made with. */
export interface CallSite {
  readonly contracts: Contracts;
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

interface Definition<Request> {
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
}

export interface RelayedOperation<Request> extends Definition<Request> {
  readonly signs: (request: Request) => readonly SignedMessage[];
}

/** Joins the description that the protocol has of an operation and the service's half of it. */
export function relayedOperation<Request>(
  { signs }: Pick<RelayOperation<unknown, Request>, 'signs'>,
  definition: Definition<Request>,
): RelayedOperation<Request> {
  return { ...definition, signs };
}
