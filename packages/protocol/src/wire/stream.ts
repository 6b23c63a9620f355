// Messages of the service on the WebSocket stream, by type, with the fields that all of them share.
import Type from 'typebox';
import { CANCEL_REASONS, FAULT_PARTIES } from '../records/engine-commands.ts';
import { CLAIM_STATUSES } from '../records/resolution-records.ts';
import { OutcomeIndex } from './events.ts';
import { FEES } from './fees.ts';
import { ReceiptAnswer } from './journal.ts';
import { EventOfMarket, MARKET_STATUSES } from './markets.ts';
import { OpenOrder } from './orders.ts';
import { ActiveQuickMarket, NoActiveQuickMarket } from './quick-markets.ts';
import { PendingClaim, ResolutionBody } from './resolution.ts';
import { AddressText, Bit, Bytes32Text, NoAskPrice, TradeNumber, Uint64, UnixSeconds } from './scalars.ts';
import { AssetText, STREAM_CHANNELS, StreamRequestId } from './stream-requests.ts';
import { TRADE_STATUSES, Trade } from './trades.ts';
import { TRADE_ROLES, WalletBalances } from './users.ts';

const HashText = Type.String({ pattern: '^[0-9a-f]{16}$', description: 'hash of the book, the same as on REST' });
const Step = Type.Integer({ minimum: 0 });

/** Fields beside `type` and `data`. Only `ts` and `streamId` are on every message. */
const envelope = {
  marketId: Type.Optional(Bytes32Text),
  channel: Type.Optional(Type.Enum([...STREAM_CHANNELS])),
  seq: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "the market's step: messages of one step share it, each step is one more than the last",
    }),
  ),
  channelSeq: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'on a channel: each message is one more than the last, beginning after the seq of the subscription',
    }),
  ),
  ts: Type.Integer({ minimum: 0, description: 'Unix milliseconds' }),
  streamId: Type.String({ description: 'names this run of the stream' }),
  position: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9-]{0,31}=[0-9]{1,15}(;[a-z][a-z0-9-]{0,31}=[0-9]{1,15})*$',
      description:
        'where a service has several nodes, on messages of a step or a claim and on the confirmation of a subscription: how far the journal was. A request that sends it as `Presage-Position` is answered by a node that has got as far.',
    }),
  ),
  id: Type.Optional(StreamRequestId),
  prevSeq: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'on book messages: the step of the previous book message of that outcome. ' +
        'Nothing was missed while it is not above the seq of the last one held.',
    }),
  ),
  conflated: Type.Optional(Type.Literal(true, { description: 'book messages before this one were left out' })),
};

function message<T extends string, D extends Type.TSchema>(type: T, data: D, description: string) {
  return Type.Object({ type: Type.Literal(type), data, ...envelope }, { additionalProperties: false, description });
}

const NowMs = Type.Integer({ minimum: 0, description: "the service's clock, Unix milliseconds" });
const CodeText = Type.String({ description: 'see the catalogue of errors' });
/** Messages without a subscription repeat their main fields at the top level. */
const top = { code: Type.Optional(CodeText), nowMs: Type.Optional(NowMs) };

function notice<T extends string, D extends Type.TSchema>(type: T, data: D, description: string) {
  return Type.Object(
    { type: Type.Literal(type), data, ...envelope, ...top },
    { additionalProperties: false, description },
  );
}

const BookLevel = Type.Object({ price: Uint64, size: Uint64 });

export const StreamOrderbook = Type.Object({
  marketId: Bytes32Text,
  outcome: Bit,
  bids: Type.Array(BookLevel),
  asks: Type.Array(BookLevel),
  lastUpdate: UnixSeconds,
  hash: HashText,
});

export const StreamOrderbookDelta = Type.Object({
  outcome: Bit,
  changes: Type.Array(Type.Object({ side: Bit, price: Uint64, size: Uint64 }), {
    description: 'side 0 = bid, 1 = ask; the size is absolute, 0 removes the level',
  }),
  hash: HashText,
});

export const StreamTradeStatus = Type.Object({
  ...Trade.properties,
  reason: Type.Optional(Type.String()),
  faultParty: Type.Optional(Type.Enum([...FAULT_PARTIES])),
});

export const StreamOrderCancelled = Type.Object({
  orderHash: Bytes32Text,
  outcome: Bit,
  side: Bit,
  price: Uint64,
  remainingSize: Uint64,
  reason: Type.Enum([...CANCEL_REASONS]),
});

export const StreamMarket = Type.Object({
  marketId: Bytes32Text,
  status: Type.Enum([...MARKET_STATUSES]),
  resolved: Type.Boolean(),
  winningOutcome: Type.Union([Bit, Type.Null()]),
  expiration: Uint64,
  updatedAt: UnixSeconds,
  event: Type.Optional(EventOfMarket),
});

export const StreamFill = Type.Object({
  userAddress: AddressText,
  id: TradeNumber,
  tradeId: Type.String(),
  orderHash: Bytes32Text,
  marketId: Bytes32Text,
  side: Bit,
  outcome: Bit,
  role: Type.Enum([...TRADE_ROLES]),
  price: Uint64,
  size: Uint64,
  cost: Uint64,
  counterparty: AddressText,
  timestamp: UnixSeconds,
  txHash: Type.String(),
  status: Type.Enum([...TRADE_STATUSES]),
  ...FEES,
});

export const StreamBalance = Type.Object({
  userAddress: AddressText,
  chainId: Type.Integer({ description: 'each chain has a message of its own' }),
  ...WalletBalances.properties,
});

export const StreamClaim = Type.Object({
  ...PendingClaim.properties,
  status: Type.Enum([...CLAIM_STATUSES]),
  reason: Type.Optional(Type.String({ description: 'why it failed' })),
});

export const StreamOutcome = Type.Object({
  eventId: Bytes32Text,
  index: OutcomeIndex,
  marketId: Bytes32Text,
  bestBidPrice: Uint64,
  bestAskPrice: Uint64,
  bestNoAskPrice: NoAskPrice,
  chance: Type.Union([Uint64, Type.Null()], {
    description: 'as of its market, from the book alone: null where the last trade decides',
  }),
});

export const StreamEvent = Type.Object({
  eventId: Bytes32Text,
  status: Type.Enum([...MARKET_STATUSES]),
  outcomes: Type.Array(
    Type.Object({
      ...StreamOutcome.properties,
      name: Type.String(),
      status: Type.Enum([...MARKET_STATUSES]),
      winningOutcome: Type.Union([Bit, Type.Null()]),
    }),
    { description: 'those listed so far, by index' },
  ),
});

const SubscribedSeq = Type.Integer({
  minimum: 0,
  description: "the market's last step, or on a channel its last channelSeq: what comes after it is sent",
});

const subscription = {
  address: Type.Optional(AddressText),
  asset: Type.Optional(AssetText),
  chain_id: Type.Optional(Type.Integer()),
  eventId: Type.Optional(Bytes32Text),
};

export const STREAM_MESSAGES = {
  subscribe: message(
    'subscribe',
    Type.Object({ status: Type.Literal('subscribed'), seq: SubscribedSeq, ...subscription }),
    'A subscription stands; the books of a market follow at once. Everything after its seq is sent, or told as a gap.',
  ),
  unsubscribe: message(
    'unsubscribe',
    Type.Object({ status: Type.Literal('unsubscribed'), ...subscription }),
    'A subscription has ended.',
  ),
  orderbook: message('orderbook', StreamOrderbook, 'A whole book, after every change and when asked for.'),
  orderbook_delta: message('orderbook_delta', StreamOrderbookDelta, 'The levels of a book that changed.'),
  trade: message('trade', Trade, 'Two orders met.'),
  trade_status: message('trade_status', StreamTradeStatus, 'The trade as it stands after a move of its settlement.'),
  order_cancelled: message('order_cancelled', StreamOrderCancelled, 'What was left of an order went off the book.'),
  market: message('market', StreamMarket, 'A market was closed, or is decided another way than before.'),
  resolution: message('resolution', ResolutionBody, 'As GET /api/v1/resolution/{marketId} answers.'),
  receipt: message(
    'receipt',
    ReceiptAnswer,
    'Where the step stands in the journal, signed by the operator: behind its other messages, to those who asked for receipts.',
  ),
  quick_market: message(
    'quick_market',
    Type.Union([ActiveQuickMarket, NoActiveQuickMarket]),
    'As GET /api/v1/quick-markets/{asset} answers, with chain_id if the subscription named one: at once, and whenever a window opens, closes or is decided.',
  ),
  event: message('event', StreamEvent, 'An event as it is, once after its subscription: what changes follows.'),
  outcome: message('outcome', StreamOutcome, 'Other best prices of an outcome, to those who listen for its event.'),
  order: message('order', OpenOrder, 'An order of the wallet as it stands after a step.'),
  fill: message('fill', StreamFill, 'A trade as the wallet sees it, one for each of its orders in it.'),
  claim: message('claim', StreamClaim, 'A redemption of the wallet was sent, confirmed or failed.'),
  balance: message('balance', StreamBalance, 'What the wallet may spend, as GET /api/v1/users/{address}/balances.'),
  resync: message(
    'resync',
    Type.Object({ reason: Type.Enum(['not_retained', 'too_slow']) }),
    'Continuity is lost: discard the book; a snapshot of each outcome follows.',
  ),
  heartbeat: message(
    'heartbeat',
    Type.Object({
      subscriptions: Type.Array(
        Type.Object({
          marketId: Type.Optional(Bytes32Text),
          channel: Type.Optional(Type.Enum([...STREAM_CHANNELS])),
          seq: Type.Optional(Step),
          ...subscription,
        }),
      ),
    }),
    'Every 5 seconds: each subscription, those to a market with the last step sent.',
  ),
  pong: message('pong', Type.Object({}), 'The answer to a ping.'),
  clock: notice('clock', Type.Object({ nowMs: NowMs }), 'The clock of a sandbox was moved: to everybody, at once.'),
  error: notice(
    'error',
    Type.Object({
      code: CodeText,
      error: Type.String(),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    'A request was refused; the connection goes on.',
  ),
} as const;

export type StreamMessageType = keyof typeof STREAM_MESSAGES;
