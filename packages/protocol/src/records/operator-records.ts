// What operators did: one record says who did what and why, and is at the same time what the service goes by.
import Type, { type Static } from 'typebox';
import { AddressField, CountField, type DeepReadonly, HashField, type RecordIn } from './record-scalars.ts';

/**
 * read: see failures and the audit log; markets: create, edit, feature, close and void them, and categories;
 * trading: pause, halt, retry; wallets: block; keys: manage the keys of operators.
 */
export const OPERATOR_RIGHTS = ['read', 'markets', 'trading', 'wallets', 'keys'] as const;
export type OperatorRight = (typeof OPERATOR_RIGHTS)[number];

/** What people read of a market; question, description and source are on chain as they were at its creation. */
const MarketTextsJson = Type.Object({
  question: Type.String(),
  description: Type.String(),
  source: Type.String(),
  category: Type.String(),
  imageUrl: Type.String(),
});
export type MarketTexts = Readonly<Static<typeof MarketTextsJson>>;

/**
 * Actions as the audit log names them; an operator may have a second one confirm them. An action that can be taken back has a name
 * for each direction.
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

/** Wall time for which an expired request is still known, so that a late confirmation is told what happened to it. */
const EXPIRED_KEPT_MS = 86_400_000;

export function isForgotten({ expiresMs }: { readonly expiresMs: number }, nowMs: number): boolean {
  return expiresMs + EXPIRED_KEPT_MS < nowMs;
}

const Bps = Type.Optional(CountField);

/** Terms of markets that are alike: texts with {placeholders}, and when they expire. */
const MarketTemplateJson = Type.Object({
  ...MarketTextsJson.properties,
  /** Seconds after the creation, or a time as text, with placeholders: `{date}T18:00:00Z`. */
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
    /** Chosen by whoever asked for the market: the same key never creates a second one. */
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
    /** Chosen by whoever asked for the event: the same key never creates a second one. */
    key: Type.Optional(Type.String()),
  }),
  Type.Object({ kind: Type.Literal('edit-market'), ...ofMarket, texts: MarketTextsJson }),
  Type.Object({ kind: Type.Literal('feature-market'), ...ofMarket, isFeatured: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('pause-market'), ...ofMarket, isPaused: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('close-market'), ...ofMarket }),
  Type.Object({ kind: Type.Literal('void-market'), ...ofMarket }),
  /** The contract refused a void that an interruption had kept from being sent; written by the service in the name of who voided. */
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
    /** Id of the endpoint that was called, with what it was given. */
    operation: Type.String(),
    params: Type.Record(Type.String(), Type.String()),
    /** JSON as it was sent. */
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
    /** Unix seconds from which on it is created. */
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
  /** An operator acted. What goes to a chain is written down before it is sent. */
  'operator-acted': Type.Object({
    timeMs: CountField,
    /** The id of the key that asked. */
    actor: Type.String(),
    /** In the operator's own words; empty where none were given. */
    reason: Type.String(),
    action: ActionJson,
    /** The request for this action that another key confirmed; the confirmation and the action are one record. */
    approval: Type.Optional(Type.Object({ id: Type.String(), by: Type.String() })),
  }),
};

export type OperatorActed = RecordIn<typeof OPERATOR_SHAPES, 'operator-acted'>;
