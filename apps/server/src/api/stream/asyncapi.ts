// Builds the AsyncAPI 3 document of the streams from the schemas that check their messages.
import { PriceStreamEvent, STREAM_MESSAGES, STREAM_REQUESTS, toInputSchema, toJsonSchema } from '@presage/protocol';
import type { TSchema } from 'typebox';

const SOCKET = 'stream';
const PRICES = 'prices';
const PRICE_MESSAGES = { price: PriceStreamEvent };

type Json = Readonly<Record<string, unknown>>;
type Messages = Readonly<Record<string, TSchema>>;

export function createAsyncApi(): Json {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Presage streams',
      version: '1.0.0',
      description: 'Books, trades, orders and balances as they change. Everything sent is durable already.',
    },
    defaultContentType: 'application/json',
    channels: {
      [SOCKET]: {
        address: '/api/v1/stream',
        title: 'WebSocket',
        description: 'One JSON object a text frame. Compression is off.',
        bindings: { ws: { method: 'GET' } },
        messages: { ...refer(STREAM_REQUESTS, 'request'), ...refer(STREAM_MESSAGES, 'message') },
      },
      [PRICES]: {
        address: '/api/v1/quick-markets/{asset}/price-stream',
        title: 'Server-sent events',
        description: 'The last known price at once, then each new one. Last-Event-ID resumes within twenty minutes.',
        parameters: { asset: { description: 'a symbol that GET /api/v1/config lists' } },
        messages: refer(PRICE_MESSAGES, 'event'),
      },
    },
    operations: {
      ask: operation('receive', SOCKET, refer(STREAM_REQUESTS, 'request')),
      tell: operation('send', SOCKET, refer(STREAM_MESSAGES, 'message')),
      tellPrice: operation('send', PRICES, refer(PRICE_MESSAGES, 'event')),
    },
    components: {
      messages: {
        ...describe(STREAM_REQUESTS, 'request'),
        ...describe(STREAM_MESSAGES, 'message'),
        ...describe(PRICE_MESSAGES, 'event'),
      },
    },
  };
}

/** Key of a message in the document; tells a request and a message of the same name apart. */
function keyOf(name: string, kind: string): string {
  return `${kind}.${name}`;
}

function refer(messages: Messages, kind: string): Json {
  const names = Object.keys(messages).map((name) => keyOf(name, kind));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function operation(action: 'send' | 'receive', channel: string, messages: Json): Json {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  };
}

function describe(messages: Messages, kind: string): Json {
  const entries = Object.entries(messages).map(([name, schema]) => {
    const payload = kind === 'request' ? toInputSchema(schema) : toJsonSchema(schema);
    const summary = payload.description;
    return [keyOf(name, kind), { name, ...(summary !== undefined && { summary }), payload }];
  });
  return Object.fromEntries(entries);
}
