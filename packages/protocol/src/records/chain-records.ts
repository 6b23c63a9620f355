// Notes of a chain's modules in its partition, by topic: transactions, batches, relayed calls, halts, pauses, deceptions, the cursor, the contracts' identity.
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

/** The trades that a batch carries, durable before any transaction of it is sent. */
const BatchJson = Type.Object({
  batchId: Type.String(),
  trades: Type.Array(Type.Object({ marketId: HashField, tradeId: Type.String(), attempt: CountField })),
  /**
   * Places of trades that failed, and of failed ones that the batch settled after all. The batch is noted again when
   * they change.
   */
  failed: Type.Optional(Type.Array(CountField)),
  revived: Type.Optional(Type.Array(CountField)),
});

/** The expected payout of a redemption. */
const ExpectedClaimJson = Type.Object({
  marketId: HashField,
  marketAddress: AddressField,
  /** Stablecoin with 6 decimals. */
  payout: DecimalField,
  winningOutcome: ClaimOutcomeField,
});

/** A relayed call, durable before the operation is handed to the sender. */
const RelayedJson = Type.Object({
  kind: Type.Literal('relayed'),
  operationId: Type.String(),
  /** Digest of the signed request: repeating the request returns the same transaction. */
  digest: Type.String(),
  operation: Type.Enum([...RELAYER_OPERATIONS]),
  owner: AddressField,
  /** The next nonces once the call is mined. */
  nonces: Type.Array(
    Type.Object({
      owner: AddressField,
      /** Address in the letter case of the chains file. */
      contract: Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
      next: DecimalField,
    }),
  ),
  gasLimit: DecimalField,
  /** Wall time: time travel in the sandbox must not affect budgets. */
  wallMs: CountField,
  /** Unix seconds of the service clock. */
  submittedAt: CountField,
  claims: Type.Optional(Type.Array(ExpectedClaimJson)),
  /** Stablecoin of the operator that the call puts at stake. */
  bond: Type.Optional(DecimalField),
});

/** The last published state of an operation's claims, so that a restart does not publish it again. */
const ClaimsToldJson = Type.Object({
  kind: Type.Literal('claims-told'),
  operationId: Type.String(),
  news: Type.String(),
});

/** The permit of an order reached its final state: a restart need not check it again. */
const PermitEndedJson = Type.Object({ kind: Type.Literal('permit-ended'), orderHash: HashField });

const RelayJson = Type.Union([RelayedJson, ClaimsToldJson, PermitEndedJson]);

/** A trader halted or resumed trading. */
const HaltChangedJson = Type.Object({
  kind: Type.Literal('changed'),
  trader: AddressField,
  blockNumber: CountField,
  /** Last second in which trades matched before still settle; null once the trader resumes. */
  effectiveAfter: Type.Union([CountField, Type.Null()]),
});

/** Every change above the block is void. If the first blocks are reorganized, `toBlock` is -1. */
const RewoundJson = Type.Object({ kind: Type.Literal('rewound'), toBlock: Type.Integer({ minimum: -1 }) });

const HaltJson = Type.Union([HaltChangedJson, RewoundJson]);

/** Settlement of a market was paused or resumed. */
const PauseChangedJson = Type.Object({
  kind: Type.Literal('changed'),
  marketId: HashField,
  blockNumber: CountField,
  isPaused: Type.Boolean(),
});

const PauseJson = Type.Union([PauseChangedJson, RewoundJson]);

/** A contract wallet refused a fill on chain that it had accepted in the simulation. */
const DeceptionJson = Type.Object({ wallet: AddressField, tradeId: Type.String(), attempt: CountField });

const CursorBlockJson = Type.Object({ number: CountField, hash: Type.Unsafe<Hex>(HashField) });

/**
 * Position of a log watcher. It is durable before anything that one of its blocks causes, so that every fact has the
 * hash of its block on record.
 */
const LogCursorJson = Type.Object({
  v: Type.Literal(2),
  /** The newest blocks with delivered logs, oldest first, without holes. */
  blocks: Type.Array(CursorBlockJson),
  /**
   * The next block to deliver. After a restart it may be one of `blocks` or an older one, whose logs are then delivered
   * again.
   */
  next: CountField,
});

/** Form of earlier versions, written after the effects of its blocks: nothing is known about later blocks. */
const LogCursorV1Json = Type.Object({ v: Type.Literal(1), blocks: Type.Array(CursorBlockJson) });

const SavedCursorJson = Type.Union([LogCursorJson, LogCursorV1Json]);

const domain = { name: Type.String(), version: Type.String() };

/** Facts that a chain's contracts report about themselves. */
const IdentityJson = Type.Object({
  settlement: Type.Object(domain),
  conditionalTokens: Type.Object(domain),
  stablecoin: Type.Object({ ...domain, symbol: Type.String(), decimals: CountField }),
  settlementGraceSeconds: CountField,
  /** Bond of markets created now. */
  bondAmount: DecimalField,
  bondPermitRequired: Type.Boolean(),
  disputeWindowSeconds: CountField,
});

function noteOf<const Topic extends string, Body extends Type.TSchema>(topic: Topic, body: Body) {
  return Type.Object({ timeMs: CountField, topic: Type.Literal(topic), body });
}

/** One shape per topic. A topic that changes gets a step in record-upgrades.ts under `chain-noted/<topic>`. */
export const CHAIN_NOTE_SHAPES = {
  /** Transactions of the settler. */
  sender: noteOf('sender', SenderJson),
  /** Transactions of the relayer. */
  'relay-sender': noteOf('relay-sender', SenderJson),
  /** Transactions of the account that creates markets. */
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

/** A record of one of the chain's modules, which alone knows its meaning. */
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
