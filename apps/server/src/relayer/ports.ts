// What the relayer needs of the rest of the service, what it writes down, and what it answers.
import type {
  Address,
  Hex,
  MarketFacts,
  MarketId,
  MarketResolution,
  PermitSignature,
  RELAY_OPERATIONS,
  RelayedStage,
  RelayerOperation,
  RelayerRecord,
  RequestOf,
  SignedOrder,
  StablecoinPermitRequest,
} from '@presage/protocol';

export type { ExpectedClaim, RelayerRecord, RelayRecord } from '@presage/protocol';

/** The permit of an order names its nonce. */
export type OrderPermitRequest = StablecoinPermitRequest & Pick<PermitSignature, 'nonce'>;

type Described = (typeof RELAY_OPERATIONS)[number];

/** The request of each operation; an order's permit is the only one that has no endpoint. */
export type RequestMap = {
  readonly [Name in RelayerOperation]: Name extends Described['name']
    ? RequestOf<Extract<Described, { readonly name: Name }>>
    : OrderPermitRequest;
};

/** A request of one of the operations, well-formed and not yet judged. */
export type RelayRequest<Name extends RelayerOperation = RelayerOperation> = {
  readonly [Each in Name]: { readonly operation: Each; readonly request: RequestMap[Each] };
}[Name];

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

export interface RelayerJournal {
  append(record: RelayerRecord): Promise<void>;
}

/** A condition and the wallet's shares in it: YES first, then NO. */
export interface ConditionState {
  readonly denominator: bigint;
  readonly numerators: readonly [bigint, bigint];
  readonly shares: readonly [bigint, bigint];
}

/** What wallets hold and have allowed, as the next block will have it. */
export interface PendingReads {
  claims(
    owner: Address,
    markets: readonly MarketFacts[],
    at: 'pending',
  ): Promise<{ readonly claims: readonly ConditionState[] }>;
  permitState(owner: Address, spender: Address): Promise<{ readonly nonce: bigint; readonly allowance: bigint }>;
  /** One each, in the order of the uses. */
  nonces(uses: readonly Omit<NonceUse, 'count'>[], at: 'pending'): Promise<readonly bigint[]>;
}

/** What a wallet's orders and unmined fills could take, with an order yet to come, and what the settlement contract may take. */
export type ReadReserve = (
  wallet: Address,
  coming?: Pick<SignedOrder, 'orderHash' | 'order'>,
) => Promise<{ readonly reserved: bigint; readonly headroom: bigint; readonly allowance: bigint }>;

export interface RelayerMarkets {
  find(marketId: MarketId): MarketFacts | undefined;
  at(address: Address): MarketFacts | undefined;
  resolution(marketId: MarketId): MarketResolution | undefined;
}

/** The result of a request: its transaction, or one that somebody else sent with the same effect. */
export interface Relayed {
  /** Empty when somebody else's transaction did it and cannot be named. */
  readonly hash: Hex | '';
  readonly isConfirmed: boolean;
}

/** A relayed transaction as it stands. */
export interface RelayedTransaction {
  readonly hash: Hex;
  readonly status: 'pending' | 'confirmed' | 'failed';
  readonly stage: RelayedStage;
  readonly operation: RelayerOperation;
  readonly owner: Address;
  readonly blockNumber: number | null;
  readonly error: string | null;
}
