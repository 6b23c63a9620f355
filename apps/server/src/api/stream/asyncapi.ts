// The AsyncAPI 3 document of the streams, made from the schemas that their messages are checked with.
import { STREAM_MESSAGES, STREAM_REQUESTS, toJsonSchema } from '@presage/protocol';
import type { TSchema } from 'typebox';

const SOCKET = 'stream';
const PATH = '/api/v1/stream';

type Messages = Readonly<Record<string, TSchema>>;

export function createAsyncApi(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Presage streams',
      version: '1.0.0',
      description: 'Books, trades, orders and balances as they change. Everything told is durable already.',
    },
    defaultContentType: 'application/json',
    channels: {
      [SOCKET]: {
        address: PATH,
        title: 'WebSocket',
        description: 'One JSON object a text frame. Compression is off.',
        bindings: { ws: { method: 'GET' } },
        messages: { ...refer(STREAM_REQUESTS, 'request'), ...refer(STREAM_MESSAGES, 'message') },
      },
    },
    operations: {
      ask: operation('receive', STREAM_REQUESTS, 'request'),
      tell: operation('send', STREAM_MESSAGES, 'message'),
    },
    components: {
      messages: { ...describe(STREAM_REQUESTS, 'request'), ...describe(STREAM_MESSAGES, 'message') },
    },
  };
}

/** A request and a message may have one name; the document knows them apart. */
function keyOf(name: string, kind: string): string {
  return `${kind}.${name}`;
}

function refer(messages: Messages, kind: string): object {
  const names = Object.keys(messages).map((name) => keyOf(name, kind));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function operation(action: 'send' | 'receive', messages: Messages, kind: string): object {
  return {
    action,
    channel: { $ref: `#/channels/${SOCKET}` },
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${SOCKET}/messages/${keyOf(name, kind)}` })),
  };
}

function describe(messages: Messages, kind: string): object {
  const entries = Object.entries(messages).map(([name, schema]) => {
    const payload = toJsonSchema(schema);
    const summary = payload.description;
    return [keyOf(name, kind), { name, ...(summary !== undefined && { summary }), payload }];
  });
  return Object.fromEntries(entries);
}
