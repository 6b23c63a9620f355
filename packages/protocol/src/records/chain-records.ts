// What the modules of a chain note in its partition, by topic: transactions, batches, relayed calls, halts, pauses, deceptions, the cursor, the contracts' identity.
import Type, { type Static } from 'typebox';
import type { Hex } from '../core/hex.ts';
import type { Address } from '../core/ids.ts';
import { RELAYER_OPERATIONS } from '../signing/signed-types.ts';
import {
  AddressField,
  ClaimOutcomeField,
  CountField,
  DecimalField,
  type DeepReadonly,
  HashField,
} from './record-scalars.ts';
import { SENDER_SHAPES } from './sender-records.ts';

const SenderJson = Type.Union([
  SENDER_SHAPES['nonce-reserved'],
  SENDER_SHAPES['transaction-signed'],
  SENDER_SHAPES['transaction-broadcast'],
  SENDER_SHAPES['transaction-mined'],
  SENDER_SHAPES['transaction-unmined'],
  SENDER_SHAPES['transaction-confirmed'],
  SENDER_SHAPES['transaction-finalized'],
  SENDER_SHAPES['operation-abandoned'],
  SENDER_SHAPES['nonce-lost'],
]);

/** Which trades a batch carries, durable before anything of it is sent. */
const BatchJson = Type.Object({
  batchId: Type.String(),
  trades: Type.Array(Type.Object({ marketId: HashField, tradeId: Type.String(), attempt: CountField })),
  /** Places of trades that failed, and of those that the batch has settled after all; the batch is noted again when they change. */
  failed: Type.Optional(Type.Array(CountField)),
  revived: Type.Optional(Type.Array(CountField)),
});

/** What a redemption is expected to bring. */
const ExpectedClaimJson = Type.Object({
  marketId: HashField,
  marketAddress: AddressField,
  /** Stablecoin with 6 decimals. */
  payout: DecimalField,
  winningOutcome: ClaimOutcomeField,
});

/** A relayed call, durable before the sender is given the operation. */
const RelayedJson = Type.Object({
  kind: Type.Literal('relayed'),
  operationId: Type.String(),
  /** Digest of the signed request: the same request again is the same transaction. */
  digest: Type.String(),
  operation: Type.Enum([...RELAYER_OPERATIONS]),
  owner: AddressField,
  /** The next nonces once the call is mined. */
  nonces: Type.Array(
    Type.Object({
      owner: AddressField,
      /** In the case in which the chains file gives it. */
      contract: Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
      next: DecimalField,
    }),
  ),
  gasLimit: DecimalField,
  /** Wall time: budgets do not travel with the sandbox's clock. */
  wallMs: CountField,
  /** Unix seconds of the service clock. */
  submittedAt: CountField,
  claims: Type.Optional(Type.Array(ExpectedClaimJson)),
  /** The operator's stablecoin that the call puts at stake. */
  bond: Type.Optional(DecimalField),
});

/** What was published last of the claims of an operation, so that a restart does not publish it again. */
const ClaimsToldJson = Type.Object({
  kind: Type.Literal('claims-told'),
  operationId: Type.String(),
  news: Type.String(),
});

/** The permit of an order was followed to its end: a restart need not look at it again. */
const PermitEndedJson = Type.Object({ kind: Type.Literal('permit-ended'), orderHash: HashField });

const RelayJson = Type.Union([RelayedJson, ClaimsToldJson, PermitEndedJson]);

/** A trader halted, or resumed. */
const HaltChangedJson = Type.Object({
  kind: Type.Literal('changed'),
  trader: AddressField,
  blockNumber: CountField,
  /** Last second in which what matched before still settles; null once the trader resumes. */
  effectiveAfter: Type.Union([CountField, Type.Null()]),
});

/** Every change above the block is void. A reorganization of the first blocks goes back to before block 0. */
const RewoundJson = Type.Object({ kind: Type.Literal('rewound'), toBlock: Type.Integer({ minimum: -1 }) });

const HaltJson = Type.Union([HaltChangedJson, RewoundJson]);

/** The settlement of a market was paused, or resumed. */
const PauseChangedJson = Type.Object({
  kind: Type.Literal('changed'),
  marketId: HashField,
  blockNumber: CountField,
  isPaused: Type.Boolean(),
});

const PauseJson = Type.Union([PauseChangedJson, RewoundJson]);

/** A contract wallet refused on chain a fill that it had accepted in the simulation. */
const DeceptionJson = Type.Object({ wallet: AddressField, tradeId: Type.String(), attempt: CountField });

const CursorBlockJson = Type.Object({ number: CountField, hash: Type.Unsafe<Hex>(HashField) });

/** Where a log watcher stands. It is durable before anything that a block of it causes: then every fact has the hash of its block on record. */
const LogCursorJson = Type.Object({
  v: Type.Literal(2),
  /** The newest blocks of which anything was delivered, oldest first, without holes. */
  blocks: Type.Array(CursorBlockJson),
  /** The next block to deliver; after a restart it may be one of `blocks`, or an older one, which is then delivered again. */
  next: CountField,
});

/** Written by earlier versions after what its blocks caused: nothing is known of the blocks above. */
const LogCursorV1Json = Type.Object({ v: Type.Literal(1), blocks: Type.Array(CursorBlockJson) });

const SavedCursorJson = Type.Union([LogCursorJson, LogCursorV1Json]);

const domain = { name: Type.String(), version: Type.String() };

/** What a chain's contracts say of themselves. */
const IdentityJson = Type.Object({
  settlement: Type.Object(domain),
  conditionalTokens: Type.Object(domain),
  stablecoin: Type.Object({ ...domain, symbol: Type.String(), decimals: CountField }),
  settlementGraceSeconds: CountField,
  /** The bond of markets that are made now. */
  bondAmount: DecimalField,
  bondPermitRequired: Type.Boolean(),
  disputeWindowSeconds: CountField,
});

function noteOf<const Topic extends string, Body extends Type.TSchema>(topic: Topic, body: Body) {
  return Type.Object({ timeMs: CountField, topic: Type.Literal(topic), body });
}

/** One shape a topic. A topic that changes gets a step in record-upgrades.ts under `chain-noted/<topic>`. */
export const CHAIN_NOTE_SHAPES = {
  /** The transactions of the settler. */
  sender: noteOf('sender', SenderJson),
  /** The transactions of the relayer. */
  'relay-sender': noteOf('relay-sender', SenderJson),
  /** The transactions of the account that creates markets. */
  'create-sender': noteOf('create-sender', SenderJson),
  batch: noteOf('batch', BatchJson),
  relay: noteOf('relay', RelayJson),
  halt: noteOf('halt', HaltJson),
  pause: noteOf('pause', PauseJson),
  deception: noteOf('deception', DeceptionJson),
  cursor: noteOf('cursor', SavedCursorJson),
  identity: noteOf('identity', IdentityJson),
};

export const CHAIN_SHAPES = {
  'chain-noted': Type.Union([
    CHAIN_NOTE_SHAPES.sender,
    CHAIN_NOTE_SHAPES['relay-sender'],
    CHAIN_NOTE_SHAPES['create-sender'],
    CHAIN_NOTE_SHAPES.batch,
    CHAIN_NOTE_SHAPES.relay,
    CHAIN_NOTE_SHAPES.halt,
    CHAIN_NOTE_SHAPES.pause,
    CHAIN_NOTE_SHAPES.deception,
    CHAIN_NOTE_SHAPES.cursor,
    CHAIN_NOTE_SHAPES.identity,
  ]),
};

export type ChainTopic = keyof typeof CHAIN_NOTE_SHAPES;
type NoteShape<Topic extends ChainTopic> = DeepReadonly<Static<(typeof CHAIN_NOTE_SHAPES)[Topic]>>;

/** A record of one of the chain's modules, whose meaning is theirs. */
export type ChainNoted = {
  [Topic in ChainTopic]: { readonly type: 'chain-noted' } & NoteShape<Topic>;
}[ChainTopic];

/** A note before it is stamped with its time. */
export type ChainNote = { [Topic in ChainTopic]: Omit<NoteShape<Topic>, 'timeMs'> }[ChainTopic];

export type BatchRecord = DeepReadonly<Static<typeof BatchJson>>;
export type ExpectedClaim = DeepReadonly<Static<typeof ExpectedClaimJson>>;
export type RelayRecord = DeepReadonly<Static<typeof RelayedJson>>;
export type ClaimsPublishedRecord = DeepReadonly<Static<typeof ClaimsToldJson>>;
export type RelayerRecord = DeepReadonly<Static<typeof RelayJson>>;
export type HaltChange = DeepReadonly<Static<typeof HaltChangedJson>>;
export type HaltNote = DeepReadonly<Static<typeof HaltJson>>;
export type PauseChange = DeepReadonly<Static<typeof PauseChangedJson>>;
export type PauseNote = DeepReadonly<Static<typeof PauseJson>>;
export type DeceptionRecord = DeepReadonly<Static<typeof DeceptionJson>>;
export type CursorBlock = DeepReadonly<Static<typeof CursorBlockJson>>;
export type LogCursor = DeepReadonly<Static<typeof LogCursorJson>>;
export type SavedLogCursor = DeepReadonly<Static<typeof SavedCursorJson>>;
export type ChainIdentity = DeepReadonly<Static<typeof IdentityJson>>;
