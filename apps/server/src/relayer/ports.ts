// Types of the relayer's interface: its requests, calls and results, and what it needs from the rest of the service.
import type {
  Address,
  Bytes32,
  Hex,
  MarketFacts,
  MarketId,
  MarketResolution,
  PermitSignature,
  RelayerOperation,
  SignedOrder,
} from '@presage/protocol';

import type { Owned } from './operations/request-reader.ts';
import type { SignedPermit } from './used-permit.ts';

export type { ExpectedClaim, RelayerRecord, RelayRecord } from '@presage/protocol';

/** Permit of an order; it names its nonce. */
export type OrderPermitRequest = SignedPermit & Owned & Pick<PermitSignature, 'nonce'>;

/** The parts of a redemption that determine its payout. */
export interface Redemption {
  readonly conditionId: Bytes32;
  readonly indexSets: readonly bigint[];
}

/** Order with a permit, which is relayed once the order is accepted. */
export type OrderWithPermit = SignedOrder & Required<Pick<SignedOrder, 'permit'>>;

export interface NonceUse {
  readonly owner: Address;
  readonly contract: Address;
  readonly count: number;
}

/** One signature of a request, and the digests that it may sign. */
export interface SignedPart {
  readonly owner: Address;
  /** Contract whose nonce of the owner is signed. */
  readonly contract: Address;
  readonly signature: Hex;
  /** Set if the request names the nonce; otherwise it is determined by trying. */
  readonly nonce?: bigint;
  readonly digestsAt: (nonce: bigint) => readonly Hex[] | Promise<readonly Hex[]>;
  /** Error of the contract for a bad signature. */
  readonly fault: string;
}

/** Final data of a call. */
export interface CompletedCall {
  readonly data: Hex;
  /** Stablecoin of the operator that the call puts at stake. */
  readonly bond?: bigint;
  /** Calldata of the first part of a batch, of its first two parts, and so on, so that the failing part can be named. */
  readonly prefixes?: readonly Hex[];
}

/** A call of one of our contracts on behalf of a wallet, with everything needed to judge and to send it. */
export interface RelayedCall {
  readonly operation: RelayerOperation;
  readonly owner: Address;
  readonly to: Hex;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Hash of the operation's name, the target and calldata: the same request again is the same transaction. */
  readonly digest: string;
  /** Nonces that the call uses up; a count of 0 only waits for other calls. */
  readonly uses: readonly NonceUse[];
  readonly deadlines: readonly bigint[];
  /** Parts that the owner signed, in the order of their nonces. */
  readonly signed: readonly SignedPart[];
  /** Creates the data to send instead of `data`, when the call's turn has come, from the nonces that were signed. */
  readonly complete?: (nonces: readonly bigint[]) => Promise<CompletedCall>;
}

export interface RelayerMarkets {
  find(marketId: MarketId): MarketFacts | undefined;
  /** Listed markets that the condition decides: one, or those of an event. */
  decidedBy(conditionId: Bytes32): readonly MarketFacts[];
  at(address: Address): MarketFacts | undefined;
  resolution(marketId: MarketId): MarketResolution | undefined;
}

/** Whether everything in a block can be read; false after the longest wait of a reader. */
export type HasFollowed = (blockNumber: number) => Promise<boolean>;

/** The result of a request: its transaction, or one that somebody else sent with the same effect. */
export interface Relayed {
  /** Empty if somebody else's transaction had the effect and is unknown. */
  readonly hash: Hex | '';
  readonly isConfirmed: boolean;
}
