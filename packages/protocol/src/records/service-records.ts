// Records of the service itself: its clock, keys, tokens, sandbox switches, partitions, anchors and checks of balances.
import Type from 'typebox';
import type { Hex } from '../core/hex.ts';
import { AddressField, BytesField, CountField, DecimalField, HashField, type RecordIn } from './record-scalars.ts';

const head = { timeMs: CountField };
const FrameHashField = Type.Unsafe<Hex>(HashField);

const SignedFrameJson = Type.Object({
  partition: Type.String(),
  firstSeq: CountField,
  lastSeq: CountField,
  frameHash: FrameHashField,
  timeMs: CountField,
  signature: BytesField,
});

export const SERVICE_SHAPES = {
  /** The sandbox's time travel: service clock = wall clock + offset. */
  'clock-offset-set': Type.Object({ ...head, offsetSeconds: Type.Integer() }),
  /** A wallet registered an API key; only the public half is ever kept. Times are Unix seconds of wall time. */
  'api-key-registered': Type.Object({
    ...head,
    keyId: Type.String(),
    owner: AddressField,
    publicKey: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    name: Type.String(),
    createdAt: CountField,
    expiresAt: Type.Optional(CountField),
  }),
  'api-key-revoked': Type.Object({ ...head, keyId: Type.String() }),
  /** A bearer token, issued at a Unix second, was used; tokens are valid once. */
  'token-used': Type.Object({
    ...head,
    keyId: Type.String(),
    nonce: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    issuedAt: CountField,
    /** Address of the node that received the token, in a cluster. */
    node: Type.Optional(Type.String({ maxLength: 300 })),
  }),
  /** A wallet's dead-man switch: armed until `lapseMs` of wall time, or disarmed with 0. */
  'heartbeat-set': Type.Object({ ...head, trader: AddressField, lapseMs: CountField }),
  /** The sandbox's demo maker was switched on or off. */
  'maker-set': Type.Object({ ...head, running: Type.Boolean() }),
  /** The sandbox fixed the price of an asset, from a second of service time until the next such record. */
  'price-pinned': Type.Object({
    ...head,
    asset: Type.String(),
    /** Unix seconds of the first price affected. */
    from: CountField,
    /** Price with eight decimals; null returns the asset to the simulated market. */
    price: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  }),
  /** Number of partitions of the markets; written once, before the first market, if it is more than one. */
  'partitions-set': Type.Object({ ...head, count: Type.Integer({ minimum: 2 }) }),
  /** Balances of a wallet on chain at a block, in the market's partition: the confirmed part of the view must equal them. */
  'position-synced': Type.Object({
    ...head,
    marketId: HashField,
    userAddress: AddressField,
    yesShares: DecimalField,
    noShares: DecimalField,
    blockNumber: CountField,
  }),
  /**
   * The heads of all partitions whose hash goes on chain; recorded before it is sent, so that every anchor on chain can
   * be resolved.
   */
  'journal-anchored': Type.Object({ ...head, hash: FrameHashField, heads: Type.Array(SignedFrameJson) }),
};

type ServiceRecordType = keyof typeof SERVICE_SHAPES;
type ServiceRecordOf<Name extends ServiceRecordType> = RecordIn<typeof SERVICE_SHAPES, Name>;
export type ServiceRecord = { [Name in ServiceRecordType]: ServiceRecordOf<Name> }[ServiceRecordType];

export type ClockOffsetSet = ServiceRecordOf<'clock-offset-set'>;
export type ApiKeyRegistered = ServiceRecordOf<'api-key-registered'>;
export type ApiKeyRevoked = ServiceRecordOf<'api-key-revoked'>;
export type TokenUsed = ServiceRecordOf<'token-used'>;
export type HeartbeatSet = ServiceRecordOf<'heartbeat-set'>;
export type MakerSet = ServiceRecordOf<'maker-set'>;
export type PricePinned = ServiceRecordOf<'price-pinned'>;
export type JournalAnchored = ServiceRecordOf<'journal-anchored'>;
export type PositionSyncRecord = ServiceRecordOf<'position-synced'>;
