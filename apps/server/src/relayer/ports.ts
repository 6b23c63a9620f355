// What the relayer needs of the rest of the service, what it writes down, and what it answers.
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

/** The permit of an order names its nonce. */
export type OrderPermitRequest = SignedPermit & Owned & Pick<PermitSignature, 'nonce'>;

/** A redemption as far as its payout depends on it. */
export interface Redemption {
  readonly conditionId: Bytes32;
  readonly indexSets: readonly bigint[];
}

/** A permit that came with an order is relayed once the order is accepted. */
export type OrderWithPermit = SignedOrder & Required<Pick<SignedOrder, 'permit'>>;

export interface NonceUse {
  readonly owner: Address;
  readonly contract: Address;
  readonly count: number;
}

/** One signature of a request, and what it may be a signature of. */
export interface SignedPart {
  readonly owner: Address;
  /** Whose nonce of the owner is signed. */
  readonly contract: Address;
  readonly signature: Hex;
  /** Where the request names it; else it is found out. */
  readonly nonce?: bigint;
  readonly digestsAt: (nonce: bigint) => readonly Hex[] | Promise<readonly Hex[]>;
  /** What the contract would say of a bad one. */
  readonly fault: string;
}

/** What is sent in the end. */
export interface CompletedCall {
  readonly data: Hex;
  /** Stablecoin of the operator's that it puts at stake. */
  readonly bond?: bigint;
  /** The first part of a batch, its first two, and so on, so that the part at fault can be named. */
  readonly prefixes?: readonly Hex[];
}

/** A call of a contract of ours in the name of a wallet, with everything needed to judge and to send it. */
export interface RelayedCall {
  readonly operation: RelayerOperation;
  readonly owner: Address;
  readonly to: Hex;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Hash of what the wallet signed: the same request again is the same transaction. */
  readonly digest: string;
  /** Whose nonces it uses up where, and how many; none where it only waits for others. */
  readonly uses: readonly NonceUse[];
  readonly deadlines: readonly bigint[];
  /** What the owner signed, in the order of its nonces. */
  readonly signed: readonly SignedPart[];
  /** What to send instead of `data`, made when its turn has come, with the nonces that were signed. */
  readonly complete?: (nonces: readonly bigint[]) => Promise<CompletedCall>;
}

export interface RelayerMarkets {
  find(marketId: MarketId): MarketFacts | undefined;
  /** Listed markets whose result is that of the condition: one, or those of an event. */
  decidedBy(conditionId: Bytes32): readonly MarketFacts[];
  at(address: Address): MarketFacts | undefined;
  resolution(marketId: MarketId): MarketResolution | undefined;
}

/** Whether everything of a block can be read; false if that takes longer than a reader waits. */
export type HasFollowed = (blockNumber: number) => Promise<boolean>;

/** The result of a request: its transaction, or one that somebody else sent with the same effect. */
export interface Relayed {
  /** Empty when somebody else's transaction did it and cannot be named. */
  readonly hash: Hex | '';
  readonly isConfirmed: boolean;
}
