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

const ofMarket = { marketId: HashField };

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
  }),
  Type.Object({ kind: Type.Literal('edit-market'), ...ofMarket, texts: MarketTextsJson }),
  Type.Object({ kind: Type.Literal('feature-market'), ...ofMarket, isFeatured: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('pause-market'), ...ofMarket, isPaused: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('close-market'), ...ofMarket }),
  Type.Object({ kind: Type.Literal('void-market'), ...ofMarket }),
  Type.Object({ kind: Type.Literal('halt-trading'), isHalted: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('block-wallet'), wallet: AddressField, isBlocked: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('retry-webhooks'), letters: CountField }),
  Type.Object({ kind: Type.Literal('define-category'), categoryId: Type.String(), name: Type.String() }),
  Type.Object({ kind: Type.Literal('remove-category'), categoryId: Type.String() }),
  Type.Object({ kind: Type.Literal('retry-failures'), chainId: CountField }),
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
  }),
};

export type OperatorActed = RecordIn<typeof OPERATOR_SHAPES, 'operator-acted'>;
