// Answers about the service itself: configuration, clock, health and status.
import Type from 'typebox';
import { termChoices } from '../core/order-term-schemas.ts';
import { SIGNING_DOMAINS } from '../signing/signed-types.ts';
import { AddressText, UnixSeconds } from './scalars.ts';

const Signed = Type.Object({ name: Type.String(), version: Type.String(), address: AddressText });

export const ChainDescription = Type.Object({
  chainId: Type.Integer(),
  name: Type.String(),
  confirmations: Type.Integer(),
  minOrderSize: Type.Integer({ description: 'of an order on this chain; limits.minOrderSize is the first chain’s' }),
  settlement: Signed,
  conditionalTokens: Signed,
  stablecoin: Type.Object({
    symbol: Type.String(),
    name: Type.String(),
    version: Type.String(),
    decimals: Type.Integer(),
    address: AddressText,
    permitPath: Type.String(),
  }),
  marketFactory: AddressText,
  eventFactory: Type.Optional(AddressText),
  oracle: Type.Union([AddressText, Type.Null()]),
  multicall: AddressText,
  disputeWindowSeconds: Type.Integer(),
  bondAmount: Type.String({ pattern: '^[0-9]+$' }),
  bondPermitRequired: Type.Boolean(),
  settlementGraceSeconds: Type.Integer(),
  collateralCheck: Type.Enum(['off', 'enforce']),
  treasury: Type.Optional(AddressText),
  rpcUrl: Type.Optional(Type.String({ description: 'sandbox only' })),
  explorerUrl: Type.Optional(
    Type.String({ description: 'where transactions can be looked up, at /tx/<hash> of it; absent when none is set' }),
  ),
});

const TypedField = Type.Object({ name: Type.String(), type: Type.String() });

export const ServiceConfig = Type.Object({
  service: Type.String(),
  version: Type.String(),
  sandbox: Type.Boolean(),
  authRequired: Type.Boolean(),
  apiKeyMessagePrefix: Type.String(),
  orderTypes: Type.Object(termChoices()),
  types: Type.Record(Type.String(), Type.Union([Type.Array(TypedField), Type.String()]), {
    description:
      'everything that is ever signed, by its name: the fields of EIP-712 typed data, or a text for personal_sign with {address} in it',
  }),
  signingDomains: Type.Record(Type.String(), Type.Enum([...SIGNING_DOMAINS]), {
    description:
      'whose domain each of the types is signed with; market: name PresageMarket, version 1, the address of the market',
  }),
  chains: Type.Array(ChainDescription),
  quickMarkets: Type.Object({
    assets: Type.Array(Type.String()),
    intervalMinutes: Type.Integer(),
    priceDecimals: Type.Integer(),
    feeRateBps: Type.Integer({ description: 'what new ones charge takers' }),
    makerShareBps: Type.Integer(),
  }),
  receiptKey: Type.String({
    pattern: '^0x[0-9a-f]{64}$',
    description: 'Ed25519 public key of the operator, with which receipts and heads of the journal are signed',
  }),
  limits: Type.Record(Type.String(), Type.Unknown(), { description: 'every limit in force' }),
});

export const ServiceTime = Type.Object({ now: UnixSeconds, nowMs: Type.Integer() });

export const ServiceHealth = Type.Object({ status: Type.Literal('alive') });

export const ServiceReadiness = Type.Object({
  status: Type.Enum(['ready', 'waiting', 'recovering']),
  degraded: Type.Array(Type.String(), {
    description:
      'journal where this node cannot write it or does not see it and engine where no node decides, stopping where this node was told to end, all three with 503; standby where the synchronous standby of the journal is away; database or chain where it cannot be reached, chain also where it is unfit to be served; view where lists or the audit log were lost and are rebuilt, or the database belongs to another journal; settlement or relayer where a transaction does not get on and all later ones wait; settler_unfunded or relayer_unfunded where an account cannot pay for gas, settler_role_lost and settlement_paused where the contract takes no batches; of several chains with the id, as in chain 31338',
  }),
  lane: Type.Optional(
    Type.Integer({ description: 'Which lane of the service answers, from 1 on; absent where it has none' }),
  ),
});

const Percentiles = Type.Object({ p50: Type.Number(), p99: Type.Number() });

const SettlementQueue = Type.Object({ waiting: Type.Integer(), batchesInFlight: Type.Integer() });

const RelayerStatus = Type.Object({
  address: AddressText,
  balance: Type.Union([Type.String({ description: 'wei' }), Type.Null()]),
  nonce: Type.Union([Type.Integer(), Type.Null()]),
  spentPerDay: Type.Union([Type.String({ description: 'wei, at the pace of the last day at most' }), Type.Null()]),
  daysLeft: Type.Union([Type.Number(), Type.Null()], {
    description: 'how long the balance lasts at that pace; null while nothing was spent or too little was seen',
  }),
});

export const ChainStatus = Type.Object({
  chainId: Type.Integer(),
  name: Type.String(),
  up: Type.Boolean(),
  block: Type.Integer({ description: 'the newest that was seen; 0 before the first' }),
  settlementQueue: SettlementQueue,
  relayer: Type.Union([RelayerStatus, Type.Null()], { description: 'null before the first answer of the chain' }),
  problem: Type.Optional(
    Type.Object(
      {
        kind: Type.Enum(['unreachable', 'unfit']),
        detail: Type.Union([Type.String({ description: 'the nodes, what was asked and what to do' }), Type.Null()]),
      },
      {
        description:
          'of a chain that is not served: its node gives no answer, or its EVM or its contracts are not what they should be; the detail is for operators',
      },
    ),
  ),
});

export const ServiceStatus = Type.Object({
  dependencies: Type.Record(Type.String(), Type.Object({ up: Type.Boolean() }, { additionalProperties: true })),
  settlementQueue: SettlementQueue,
  relayer: RelayerStatus,
  chains: Type.Array(ChainStatus, {
    description:
      'each by itself; above, chain is up when all are, the queues are summed and the relayer is the first chain’s',
  }),
  feeds: Type.Array(Type.Object({}, { additionalProperties: true })),
  rates: Type.Object({ ordersPerSecond: Type.Number() }),
  latency: Type.Object({ acceptMs: Percentiles, settleMs: Percentiles, eventLoopLagMs: Type.Number() }),
  signatureQueue: Type.Integer(),
  trading: Type.Object(
    { halted: Type.Boolean(), reason: Type.Union([Type.String(), Type.Null()]) },
    { description: 'halted: the operator takes no orders anywhere; cancels are taken' },
  ),
});
