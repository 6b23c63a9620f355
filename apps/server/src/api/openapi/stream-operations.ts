// The stream as the documentation of the HTTP API knows it: where it is, and where its messages are described.
import Type from 'typebox';
import type { Operation } from './operation.ts';

export const STREAM_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/stream',
    id: 'openStream',
    tag: 'Stream',
    summary: 'Books, trades, orders and balances as they change (WebSocket)',
    description:
      'A WebSocket upgrade is answered with 101; its messages are described by /asyncapi.json. Anything else is refused with 426.',
    answer: Type.String({ description: 'never: a plain GET is refused' }),
    contentType: 'text/plain',
    errors: ['upgrade_required'],
  },
];
