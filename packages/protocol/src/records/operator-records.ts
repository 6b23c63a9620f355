// Actions of operators: a record says who did what and why, and is also the state that the service acts on.
import Type, { type Static } from 'typebox';
import { AddressField, CountField, type DeepReadonly, HashField, type RecordIn } from './record-scalars.ts';

/**
 * read: see failures and the audit log; markets: create, edit, feature, close and void them, and categories;
 * trading: pause, halt, retry; wallets: block; keys: manage the keys of operators.
 */
export const OPERATOR_RIGHTS = ['read', 'markets', 'trading', 'wallets', 'keys'] as const;
export type OperatorRight = (typeof OPERATOR_RIGHTS)[number];

/** Displayed texts of a market. On chain, question, description and source stay as they were at its creation. */
const MarketTextsJson = Type.Object({
  question: Type.String(),
  description: Type.String(),
  source: Type.String(),
  category: Type.String(),
  imageUrl: Type.String(),
});
export type MarketTexts = Readonly<Static<typeof MarketTextsJson>>;

/**
 * Actions as the audit log names them; each may require confirmation by a second operator. A reversible action has a
 * name for each direction.
 */
export const APPROVABLE_ACTIONS = [
  ...([
    'create-market',
    'create-event',
    'edit-market',
    'feature-market',
    'unfeature-market',
    'pause-market',
    'resume-market',
  ] as const),
  ...([
    'close-market',
    'void-market',
    'schedule-market',
    'cancel-schedule',
    'define-template',
    'remove-template',
  ] as const),
  ...(['halt-trading', 'resume-trading', 'retry-failures', 'block-wallet', 'unblock-wallet'] as const),
  ...(['define-category', 'remove-category', 'add-key', 'revoke-key'] as const),
] as const;
export type ApprovableAction = (typeof APPROVABLE_ACTIONS)[number];

/** How long an expired request is remembered, in wall time, so that a late confirmation gets an explanation. */
const EXPIRED_KEPT_MS = 86_400_000;

export function isForgotten({ expiresMs }: { readonly expiresMs: number }, nowMs: number): boolean {
  return expiresMs + EXPIRED_KEPT_MS < nowMs;
}

const Bps = Type.Optional(CountField);

/** Terms of similar markets: texts with {placeholders}, and when they expire. */
const MarketTemplateJson = Type.Object({
  ...MarketTextsJson.properties,
  /** Seconds after the creation, or a time as text with placeholders: `{date}T18:00:00Z`. */
  expires: Type.Union([CountField, Type.String()]),
  earlyResolution: Type.Boolean(),
  feeRateBps: Bps,
  makerShareBps: Bps,
});
export type MarketTemplate = Readonly<Static<typeof MarketTemplateJson>>;

const ofMarket = { marketId: HashField };
const ofApproval = { approvalId: Type.String() };

const ActionJson = Type.Union([
  Type.Object({
    kind: Type.Literal('add-key'),
    keyId: Type.String(),
    publicKey: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    name: Type.String(),
    rights: Type.Array(Type.Enum([...OPERATOR_RIGHTS])),
  }),
  Type.Object({ kind: Type.Literal('revoke-key'), keyId: Type.String() }),
  Type.Object({
    kind: Type.Literal('create-market'),
    ...ofMarket,
    chainId: CountField,
    expiration: CountField,
    texts: MarketTextsJson,
    earlyResolution: Type.Optional(Type.Boolean()),
    feeRateBps: Bps,
    makerShareBps: Bps,
    /** Idempotency key chosen by the caller: the same key never creates a second market. */
    key: Type.Optional(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal('create-event'),
    eventId: HashField,
    contractAddress: AddressField,
    chainId: CountField,
    expiration: CountField,
    texts: MarketTextsJson,
    /** Names of the outcomes. */
    outcomes: Type.Array(Type.String()),
    earlyResolution: Type.Boolean(),
    feeRateBps: CountField,
    makerShareBps: CountField,
    /** Idempotency key chosen by the caller: the same key never creates a second event. */
    key: Type.Optional(Type.String()),
  }),
  Type.Object({ kind: Type.Literal('edit-market'), ...ofMarket, texts: MarketTextsJson }),
  Type.Object({ kind: Type.Literal('feature-market'), ...ofMarket, isFeatured: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('pause-market'), ...ofMarket, isPaused: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('close-market'), ...ofMarket }),
  Type.Object({ kind: Type.Literal('void-market'), ...ofMarket }),
  /**
   * The contract refused a void whose sending had been interrupted. Written by the service in the name of the operator
   * who voided.
   */
  Type.Object({ kind: Type.Literal('drop-void'), ...ofMarket }),
  Type.Object({ kind: Type.Literal('halt-trading'), isHalted: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('block-wallet'), wallet: AddressField, isBlocked: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('retry-webhooks'), letters: CountField }),
  Type.Object({ kind: Type.Literal('define-category'), categoryId: Type.String(), name: Type.String() }),
  Type.Object({ kind: Type.Literal('remove-category'), categoryId: Type.String() }),
  Type.Object({ kind: Type.Literal('retry-failures'), chainId: CountField }),
  Type.Object({
    kind: Type.Literal('request-approval'),
    ...ofApproval,
    /** Operation id of the called endpoint, with its parameters. */
    operation: Type.String(),
    params: Type.Record(Type.String(), Type.String()),
    /** JSON body as it was sent. */
    body: Type.String(),
    action: Type.Enum([...APPROVABLE_ACTIONS]),
    expiresMs: CountField,
  }),
  Type.Object({ kind: Type.Literal('reject-approval'), ...ofApproval }),
  Type.Object({ kind: Type.Literal('define-template'), templateId: Type.String(), template: MarketTemplateJson }),
  Type.Object({ kind: Type.Literal('remove-template'), templateId: Type.String() }),
  Type.Object({
    kind: Type.Literal('schedule-market'),
    scheduleId: Type.String(),
    /** Unix seconds of the planned creation. */
    listAt: CountField,
    market: Type.Object({
      chainId: CountField,
      expiration: CountField,
      texts: MarketTextsJson,
      earlyResolution: Type.Boolean(),
      feeRateBps: CountField,
      makerShareBps: CountField,
    }),
  }),
  Type.Object({ kind: Type.Literal('cancel-schedule'), scheduleId: Type.String() }),
]);
export type OperatorAction = DeepReadonly<Static<typeof ActionJson>>;

export const OPERATOR_SHAPES = {
  /** An operator acted. An action on a chain is recorded before it is sent. */
  'operator-acted': Type.Object({
    timeMs: CountField,
    /** Id of the calling key. */
    actor: Type.String(),
    /** The operator's own words; empty if none were given. */
    reason: Type.String(),
    action: ActionJson,
    /** The request for this action that another key confirmed. Confirmation and action are one record. */
    approval: Type.Optional(Type.Object({ id: Type.String(), by: Type.String() })),
  }),
};

export type OperatorActed = RecordIn<typeof OPERATOR_SHAPES, 'operator-acted'>;
