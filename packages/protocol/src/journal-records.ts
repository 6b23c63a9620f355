// What stands in the journal: one versioned JSON object a record, checked before it is written and after it is read.
import Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { CANCEL_REASONS, FAULT_PARTIES, MARKET_CLOSE_REASONS, TRADE_STAGES } from './engine-commands.ts';
import type { EngineEvent, OrderAccepted } from './engine-events.ts';
import type { Address, MarketId } from './ids.ts';
import { CATEGORIES, MARKET_KINDS } from './market.ts';
import { type Order, type PermitSignature, SELF_TRADE_PREVENTIONS, TIMES_IN_FORCE } from './order.ts';
import { PERMIT_SHAPES, type PermitChanged } from './permit-records.ts';
import { QUICK_SHAPES, type QuickMarketChanged } from './quick-market.ts';
import { RESOLUTION_SHAPES, ResolutionJson, type ResolutionRecord } from './resolution-records.ts';
import { MAX_PRICE, MAX_SIZE, MIN_PRICE } from './units.ts';

/** The sandbox's time travel: service clock = wall clock + offset. */
export interface ClockOffsetSet {
  readonly type: 'clock-offset-set';
  readonly timeMs: number;
  readonly offsetSeconds: number;
}

/** A wallet made itself an API key; only the public half is ever kept. */
export interface ApiKeyRegistered {
  readonly type: 'api-key-registered';
  readonly timeMs: number;
  readonly keyId: string;
  readonly owner: Address;
  /** 64 hex digits. */
  readonly publicKey: string;
  readonly name: string;
  /** Unix seconds, wall time. */
  readonly createdAt: number;
  readonly expiresAt?: number;
}

export interface ApiKeyRevoked {
  readonly type: 'api-key-revoked';
  readonly timeMs: number;
  readonly keyId: string;
}

/** A bearer token was used: it is good once. */
export interface TokenUsed {
  readonly type: 'token-used';
  readonly timeMs: number;
  readonly keyId: string;
  readonly nonce: string;
  /** Unix seconds of the token's making. */
  readonly ts: number;
}

/** A wallet's dead-man switch: armed until `lapseMs` of wall time, or disarmed with 0. */
export interface HeartbeatSet {
  readonly type: 'heartbeat-set';
  readonly timeMs: number;
  readonly trader: Address;
  readonly lapseMs: number;
}

/** The sandbox's word on what an asset costs, from a second of service time until the next word on it. */
export interface PricePinned {
  readonly type: 'price-pinned';
  readonly timeMs: number;
  readonly asset: string;
  /** Unix seconds: the first price that it holds for. */
  readonly from: number;
  /** With eight decimals; null gives the asset back to the simulated market. */
  readonly price: number | null;
}

/** The sandbox's demo maker was switched on or off. */
export interface MakerSet {
  readonly type: 'maker-set';
  readonly timeMs: number;
  readonly running: boolean;
}

/** A record of the transaction sender or of the indexer, whose meaning is theirs; `body` is plain JSON. */
export interface ChainNoted {
  readonly type: 'chain-noted';
  readonly timeMs: number;
  readonly topic: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The chain's balances of a wallet at a block, in the market's partition: what the view's settled part must equal. */
export interface PositionSyncRecord {
  readonly type: 'position-synced';
  readonly timeMs: number;
  readonly marketId: MarketId;
  readonly userAddress: Address;
  /** Decimal strings: balances are uint256. */
  readonly yesShares: string;
  readonly noShares: string;
  readonly blockNumber: number;
}

export type JournalRecord =
  | EngineEvent
  | ClockOffsetSet
  | ApiKeyRegistered
  | ApiKeyRevoked
  | TokenUsed
  | HeartbeatSet
  | MakerSet
  | PricePinned
  | ChainNoted
  | PositionSyncRecord
  | PermitChanged
  | ResolutionRecord
  | QuickMarketChanged;

/** Bumped when a record's fields change; the reader keeps understanding the versions below. */
export const RECORD_VERSION = 1;

const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' });
const Wallet = Type.String({ pattern: '^0x[0-9a-f]{40}$' });
const Count = Type.Integer({ minimum: 0 });
const SizeField = Type.Integer({ minimum: 1, maximum: MAX_SIZE });
const PriceField = Type.Integer({ minimum: MIN_PRICE, maximum: MAX_PRICE });
const BitField = Type.Union([Type.Literal(0), Type.Literal(1)]);
const Decimal = Type.String({ pattern: '^[0-9]{1,78}$' });
const head = { timeMs: Count };
const step = { ...head, marketId: Hash, step: Type.Integer({ minimum: 1 }) };

const OrderJson = Type.Object({
  marketId: Hash,
  trader: Wallet,
  side: BitField,
  outcome: BitField,
  price: PriceField,
  size: SizeField,
  nonce: Decimal,
  expiration: Decimal,
  makerFeeRecipient: Wallet,
});

const PermitJson = Type.Object({ nonce: Decimal, value: Decimal, deadline: Decimal, v: Count, r: Hash, s: Hash });

const SettlementJson = Type.Object({
  transactionHash: Hash,
  batchIndex: Count,
  isBatch: Type.Boolean(),
  attempt: Count,
  blockNumber: Type.Optional(Count),
  blockHash: Type.Optional(Hash),
  minted: Type.Optional(Count),
});

const MarketJson = Type.Object({
  marketId: Hash,
  chainId: Count,
  kind: Type.Enum([...MARKET_KINDS]),
  contractAddress: Wallet,
  question: Type.String(),
  description: Type.String(),
  category: Type.Enum([...CATEGORIES]),
  maker: Wallet,
  expiration: Count,
  createdAt: Count,
  settlementAddress: Wallet,
  conditionalTokens: Wallet,
  stablecoin: Wallet,
  yesTokenId: Decimal,
  noTokenId: Decimal,
  blockNumber: Count,
  transactionHash: Hash,
});

const SHAPES = {
  'market-listed': Type.Object({ ...step, market: MarketJson }),
  'market-closed': Type.Object({ ...step, reason: Type.Enum([...MARKET_CLOSE_REASONS]) }),
  'order-accepted': Type.Object({
    ...step,
    orderHash: Hash,
    order: OrderJson,
    signature: Type.String({ pattern: '^0x[0-9a-f]{130}$' }),
    terms: Type.Object({
      timeInForce: Type.Enum([...TIMES_IN_FORCE]),
      postOnly: Type.Boolean(),
      selfTradePrevention: Type.Enum([...SELF_TRADE_PREVENTIONS]),
    }),
    permit: Type.Optional(PermitJson),
  }),
  'trade-matched': Type.Object({
    ...step,
    tradeId: Type.String(),
    outcome: BitField,
    price: PriceField,
    size: SizeField,
    takerSide: BitField,
    makerHash: Hash,
    takerHash: Hash,
    maker: Wallet,
    taker: Wallet,
  }),
  'order-cancelled': Type.Object({
    ...step,
    orderHash: Hash,
    trader: Wallet,
    outcome: BitField,
    side: BitField,
    price: PriceField,
    remainingSize: Count,
    reason: Type.Enum([...CANCEL_REASONS]),
  }),
  'order-restored': Type.Object({ ...step, orderHash: Hash, size: SizeField, tradeId: Type.String() }),
  'trade-moved': Type.Object({
    ...step,
    tradeId: Type.String(),
    stage: Type.Enum(TRADE_STAGES.filter((stage) => stage !== 'matched' && stage !== 'failed')),
    settlement: Type.Optional(SettlementJson),
  }),
  'trade-failed': Type.Object({
    ...step,
    tradeId: Type.String(),
    faultParty: Type.Enum([...FAULT_PARTIES]),
    reason: Type.String(),
    settlement: Type.Optional(SettlementJson),
  }),
  'resolution-changed': Type.Object({ ...step, resolution: ResolutionJson }),
  'clock-offset-set': Type.Object({ ...head, offsetSeconds: Type.Integer() }),
  'api-key-registered': Type.Object({
    ...head,
    keyId: Type.String(),
    owner: Wallet,
    publicKey: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    name: Type.String(),
    createdAt: Count,
    expiresAt: Type.Optional(Count),
  }),
  'api-key-revoked': Type.Object({ ...head, keyId: Type.String() }),
  'token-used': Type.Object({
    ...head,
    keyId: Type.String(),
    nonce: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    ts: Count,
  }),
  'heartbeat-set': Type.Object({ ...head, trader: Wallet, lapseMs: Count }),
  'maker-set': Type.Object({ ...head, running: Type.Boolean() }),
  'price-pinned': Type.Object({
    ...head,
    asset: Type.String(),
    from: Count,
    price: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  }),
  'position-synced': Type.Object({
    ...head,
    marketId: Hash,
    userAddress: Wallet,
    yesShares: Decimal,
    noShares: Decimal,
    blockNumber: Count,
  }),
  'chain-noted': Type.Object({ ...head, topic: Type.String(), body: Type.Record(Type.String(), Type.Unknown()) }),
  ...PERMIT_SHAPES,
  ...RESOLUTION_SHAPES,
  ...QUICK_SHAPES,
} as const satisfies Record<JournalRecord['type'], Type.TSchema>;

const CHECKERS = new Map<string, Validator>(
  Object.entries(SHAPES).map(([type, shape]) => [type, Compile(shape as Type.TSchema)]),
);

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { fatal: true });

/** Records that change the engine's state; the others are facts for views and for the chain's hands. */
const ENGINE_EVENTS: ReadonlySet<string> = new Set<EngineEvent['type']>([
  'market-listed',
  'market-closed',
  'order-accepted',
  'trade-matched',
  'order-cancelled',
  'order-restored',
  'trade-moved',
  'trade-failed',
  'resolution-changed',
]);

export function isEngineEvent(record: JournalRecord): record is EngineEvent {
  return ENGINE_EVENTS.has(record.type);
}

export class RecordInvalid extends Error {
  override readonly name = 'RecordInvalid';
}

/** Every record begins with its version, so that it can be told before the rest is understood. */
const PREFIX = `{"v":${RECORD_VERSION},`;

export function encodeRecord(record: JournalRecord): Uint8Array {
  const json = record.type === 'order-accepted' ? toAcceptedJson(record) : record;
  assertShape(record.type, json);
  return utf8.encode(PREFIX + JSON.stringify(json).slice(1));
}

export function decodeRecord(bytes: Uint8Array): JournalRecord {
  const line = text.decode(bytes);
  if (!line.startsWith(PREFIX))
    throw new RecordInvalid(`not a record of version ${RECORD_VERSION}: ${line.slice(0, 20)}`);
  const json = JSON.parse(`{${line.slice(PREFIX.length)}`) as JournalRecord;
  assertShape(json.type, json);
  return json.type === 'order-accepted' ? fromAcceptedJson(json as unknown as AcceptedJson) : json;
}

function assertShape(type: string, json: object): void {
  const checker = CHECKERS.get(type);
  if (checker === undefined) throw new RecordInvalid(`unknown record type ${type}: written by a newer version?`);
  if (checker.Check(json)) return;
  const first = checker.Errors(json)[0];
  throw new RecordInvalid(`${type}${first?.instancePath} ${first?.message}`);
}

type AcceptedJson = Omit<OrderAccepted, 'order' | 'permit'> & {
  readonly order: OrderJsonForm;
  readonly permit?: PermitJsonForm;
};

/** Written out: a spread costs this Node microseconds, and every order passes here. */
function toAcceptedJson(event: OrderAccepted): AcceptedJson {
  const json = {
    type: event.type,
    marketId: event.marketId,
    step: event.step,
    timeMs: event.timeMs,
    orderHash: event.orderHash,
    order: toOrderJson(event.order),
    signature: event.signature,
    terms: event.terms,
  };
  return event.permit === undefined ? json : { ...json, permit: toPermitJson(event.permit) };
}

function fromAcceptedJson(json: AcceptedJson): OrderAccepted {
  const event = {
    type: json.type,
    marketId: json.marketId,
    step: json.step,
    timeMs: json.timeMs,
    orderHash: json.orderHash,
    order: fromOrderJson(json.order),
    signature: json.signature,
    terms: json.terms,
  };
  return json.permit === undefined ? event : { ...event, permit: fromPermitJson(json.permit) };
}

export type OrderJsonForm = Omit<Order, 'nonce' | 'expiration'> & {
  readonly nonce: string;
  readonly expiration: string;
};
export type PermitJsonForm = Omit<PermitSignature, 'nonce' | 'value' | 'deadline'> & {
  readonly nonce: string;
  readonly value: string;
  readonly deadline: string;
};

export function toOrderJson(order: Order): OrderJsonForm {
  return {
    marketId: order.marketId,
    trader: order.trader,
    side: order.side,
    outcome: order.outcome,
    price: order.price,
    size: order.size,
    nonce: order.nonce.toString(),
    expiration: order.expiration.toString(),
    makerFeeRecipient: order.makerFeeRecipient,
  };
}

export function fromOrderJson(json: OrderJsonForm): Order {
  return {
    marketId: json.marketId,
    trader: json.trader,
    side: json.side,
    outcome: json.outcome,
    price: json.price,
    size: json.size,
    nonce: BigInt(json.nonce),
    expiration: BigInt(json.expiration),
    makerFeeRecipient: json.makerFeeRecipient,
  };
}

function toPermitJson(permit: PermitSignature): PermitJsonForm {
  return {
    ...permit,
    nonce: permit.nonce.toString(),
    value: permit.value.toString(),
    deadline: permit.deadline.toString(),
  };
}

function fromPermitJson(json: PermitJsonForm): PermitSignature {
  return { ...json, nonce: BigInt(json.nonce), value: BigInt(json.value), deadline: BigInt(json.deadline) };
}
