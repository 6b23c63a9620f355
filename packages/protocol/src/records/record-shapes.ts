// The schema of every journal record, and a compile-time proof that schemas and types agree.
import Type from 'typebox';
import { MAX_FEE_RATE_BPS, MAX_MAKER_SHARE_BPS } from '../core/fees.ts';
import { CATEGORY_PATTERN, MARKET_KINDS } from '../core/market.ts';
import type { AcceptedJson } from '../core/order-json.ts';
import { termSchemas } from '../core/order-term-schemas.ts';
import { QUICK_SHAPES } from '../core/quick-market.ts';
import { CHAIN_SHAPES } from './chain-records.ts';
import { CANCEL_REASONS, FAULT_PARTIES, MARKET_CLOSE_REASONS, MOVED_STAGES, TRADE_PARTIES } from './engine-commands.ts';
import type { RecordOf, RecordType } from './journal-records.ts';
import { OPERATOR_SHAPES } from './operator-records.ts';
import { PERMIT_SHAPES } from './permit-records.ts';
import {
  AddressField,
  BitField,
  CountField,
  DecimalField,
  HashField,
  PriceField,
  SignatureField,
  SizeField,
} from './record-scalars.ts';
import { RESOLUTION_SHAPES, ResolutionJson } from './resolution-records.ts';
import { REVIVAL_SHAPES, SettlementJson } from './revival-records.ts';
import { SERVICE_SHAPES } from './service-records.ts';

const step = { timeMs: CountField, marketId: HashField, step: Type.Integer({ minimum: 1 }) };

const OrderJson = Type.Object({
  marketId: HashField,
  trader: AddressField,
  side: BitField,
  outcome: BitField,
  price: PriceField,
  size: SizeField,
  nonce: DecimalField,
  expiration: DecimalField,
  makerFeeRecipient: AddressField,
});

const PermitJson = Type.Object({
  nonce: DecimalField,
  value: DecimalField,
  deadline: DecimalField,
  v: CountField,
  r: HashField,
  s: HashField,
});

const MarketEventJson = Type.Object({
  id: HashField,
  question: Type.String(),
  contractAddress: AddressField,
  count: CountField,
  index: CountField,
  name: Type.String(),
});

const MarketJson = Type.Object({
  marketId: HashField,
  chainId: CountField,
  kind: Type.Enum([...MARKET_KINDS]),
  contractAddress: AddressField,
  question: Type.String(),
  description: Type.String(),
  category: Type.String({ pattern: CATEGORY_PATTERN }),
  maker: AddressField,
  expiration: CountField,
  earlyResolution: Type.Optional(Type.Literal(true)),
  createdAt: CountField,
  settlementAddress: AddressField,
  conditionalTokens: AddressField,
  stablecoin: AddressField,
  yesTokenId: DecimalField,
  noTokenId: DecimalField,
  blockNumber: CountField,
  transactionHash: HashField,
  feeRateBps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_FEE_RATE_BPS })),
  makerShareBps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MAKER_SHARE_BPS })),
  event: Type.Optional(MarketEventJson),
});

export const RECORD_SHAPES = {
  'market-listed': Type.Object({ ...step, market: MarketJson }),
  'market-closed': Type.Object({ ...step, reason: Type.Enum([...MARKET_CLOSE_REASONS]) }),
  'order-accepted': Type.Object({
    ...step,
    orderHash: HashField,
    order: OrderJson,
    signature: SignatureField,
    terms: Type.Object(termSchemas()),
    permit: Type.Optional(PermitJson),
  }),
  'trade-matched': Type.Object({
    ...step,
    tradeId: Type.String(),
    outcome: BitField,
    price: PriceField,
    size: SizeField,
    takerSide: BitField,
    makerHash: HashField,
    takerHash: HashField,
    maker: AddressField,
    taker: AddressField,
    fee: Type.Optional(Type.Integer({ minimum: 1 })),
    makerRebate: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  'order-cancelled': Type.Object({
    ...step,
    orderHash: HashField,
    trader: AddressField,
    outcome: BitField,
    side: BitField,
    price: PriceField,
    remainingSize: CountField,
    reason: Type.Enum([...CANCEL_REASONS]),
  }),
  'order-restored': Type.Object({ ...step, orderHash: HashField, size: SizeField, tradeId: Type.String() }),
  'trade-moved': Type.Object({
    ...step,
    tradeId: Type.String(),
    stage: Type.Enum([...MOVED_STAGES]),
    settlement: Type.Optional(SettlementJson),
  }),
  'trade-failed': Type.Object({
    ...step,
    tradeId: Type.String(),
    buyer: Type.Optional(AddressField),
    seller: Type.Optional(AddressField),
    faultParty: Type.Enum([...FAULT_PARTIES]),
    reason: Type.String(),
    settlement: Type.Optional(SettlementJson),
    overfilled: Type.Optional(Type.Enum([...TRADE_PARTIES])),
  }),
  'resolution-changed': Type.Object({ ...step, resolution: ResolutionJson }),
  ...SERVICE_SHAPES,
  ...CHAIN_SHAPES,
  ...REVIVAL_SHAPES,
  ...PERMIT_SHAPES,
  ...RESOLUTION_SHAPES,
  ...QUICK_SHAPES,
  ...OPERATOR_SHAPES,
} satisfies Record<RecordType, Type.TSchema>;

/** Strips `readonly`, which schemas do not have, and compares interfaces by their fields. */
type Plain<T> = T extends string | number | boolean | bigint | null | undefined
  ? T
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<T[Key]> }
    : T;
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Written<Name extends RecordType> = Name extends 'order-accepted' ? AcceptedJson : RecordOf<Name>;
type WithoutType<T> = T extends unknown ? Omit<T, 'type'> : never;
type ShapeFits<Name extends RecordType> = IsSame<
  Plain<Type.Static<(typeof RECORD_SHAPES)[Name]>>,
  Plain<WithoutType<Written<Name>>>
>;
type MisshapenRecord = { [Name in RecordType]: ShapeFits<Name> extends true ? never : Name }[RecordType];

/** Does not compile while a schema and its type differ: the error names the record. */
function assertNone<_Found extends never>(): void {}
assertNone<MisshapenRecord>();
