// Requests of a client on the WebSocket stream, one JSON object per frame.
import Type from 'typebox';
import { AddressText, BitInput, Bytes32Text, Uint64Input } from './scalars.ts';

export const STREAM_REQUEST_TYPES = ['subscribe', 'unsubscribe', 'snapshot', 'ping'] as const;
export type StreamRequestType = (typeof STREAM_REQUEST_TYPES)[number];

export const STREAM_CHANNELS = ['user', 'quick_market', 'event'] as const;
export type StreamChannel = (typeof STREAM_CHANNELS)[number];

export const BOOK_MODES = ['snapshot', 'delta'] as const;
export type BookMode = (typeof BOOK_MODES)[number];

/** Echoed in the answer, so that a client can match answers to requests. */
export const StreamRequestId = Type.Union([Type.Integer(), Type.BigInt(), Type.String({ maxLength: 128 })], {
  description: 'an integer or a text of at most 128 characters',
});

const id = Type.Optional(StreamRequestId);

export const AssetText = Type.String({ pattern: '^[A-Za-z0-9]{1,16}$', description: 'an asset symbol such as BTC' });

const outcome = Type.Optional(BitInput);

export const SubscribeMarket = Type.Object(
  {
    type: Type.Literal('subscribe'),
    id,
    marketId: Bytes32Text,
    data: Type.Optional(
      Type.Object({
        outcome,
        book: Type.Optional(Type.Enum([...BOOK_MODES], { description: BOOK_MODES.join(' or ') })),
        fromSeq: Type.Optional(Uint64Input),
        receipts: Type.Optional(
          Type.Boolean({ description: 'true or false, whether a receipt follows the messages of each step' }),
        ),
      }),
    ),
  },
  {
    description:
      'Everything of a market, or of one outcome. A later subscription to the same market replaces the one before. ' +
      'fromSeq repeats the retained steps from that one on, itself included, or is answered by resync and a snapshot.',
  },
);

export const UnsubscribeMarket = Type.Object({ type: Type.Literal('unsubscribe'), id, marketId: Bytes32Text });

const userChannel = { id, channel: Type.Literal('user'), data: Type.Object({ address: AddressText }) };
export const SubscribeUser = Type.Object({ type: Type.Literal('subscribe'), ...userChannel });
export const UnsubscribeUser = Type.Object({ type: Type.Literal('unsubscribe'), ...userChannel });

const quickChannel = {
  id,
  channel: Type.Literal('quick_market'),
  data: Type.Object({
    asset: AssetText,
    chain_id: Type.Optional(
      Type.Integer({ minimum: 1, description: "the id of a chain; the service's first when absent" }),
    ),
  }),
};
export const SubscribeQuickMarket = Type.Object({ type: Type.Literal('subscribe'), ...quickChannel });
export const UnsubscribeQuickMarket = Type.Object({ type: Type.Literal('unsubscribe'), ...quickChannel });

const eventChannel = { id, channel: Type.Literal('event'), data: Type.Object({ eventId: Bytes32Text }) };
export const SubscribeEvent = Type.Object({ type: Type.Literal('subscribe'), ...eventChannel });
export const UnsubscribeEvent = Type.Object({ type: Type.Literal('unsubscribe'), ...eventChannel });

export const RequestSnapshot = Type.Object({
  type: Type.Literal('snapshot'),
  id,
  marketId: Bytes32Text,
  data: Type.Optional(Type.Object({ outcome })),
});

export const RequestPing = Type.Object({ type: Type.Literal('ping'), id });

export const STREAM_REQUESTS = {
  SubscribeMarket,
  UnsubscribeMarket,
  SubscribeUser,
  UnsubscribeUser,
  SubscribeQuickMarket,
  UnsubscribeQuickMarket,
  SubscribeEvent,
  UnsubscribeEvent,
  RequestSnapshot,
  RequestPing,
} as const;
