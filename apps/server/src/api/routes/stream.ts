// The WebSocket stream as an endpoint: an upgrade is taken, anything else is refused.
import { PresageError } from '@presage/protocol';
import Type from 'typebox';
import { type Endpoint, streamingEndpoint } from '../endpoint.ts';
import type { Stream } from '../stream/stream.ts';

export function streamEndpoints(stream: Pick<Stream, 'accept'>): Endpoint[] {
  return [
    streamingEndpoint({
      method: 'get',
      path: '/api/v1/stream',
      id: 'openStream',
      tag: 'Service',
      summary: 'WebSocket: books, trades, orders and resolutions as they happen',
      description: 'Upgrade to a WebSocket; the messages are described in `/asyncapi.json`.',
      answer: Type.Object({}, { additionalProperties: true, description: 'one JSON object a frame' }),
      contentType: 'application/x-websocket-frame',
      errors: ['upgrade_required'],
      options: { wsHandler: (socket, request) => stream.accept(socket, request.raw.socket) },
      handle: ({ reply }) => {
        reply.header('Upgrade', 'websocket');
        throw new PresageError('upgrade_required');
      },
    }),
  ];
}
