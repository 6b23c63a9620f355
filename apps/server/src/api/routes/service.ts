// Endpoints about the service: configuration, clock, health, readiness, metrics, status; and the stream.

import { PresageError } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import { type Endpoint, endpoint, streamingEndpoint } from '../endpoint.ts';
import type { ApiServices } from '../services.ts';
import type { Stream } from '../stream/stream.ts';

const about = { method: 'get', tag: 'Service' } as const;

/** Endpoints about the service. `isPublic`, for a listener open to anybody, hides the paying accounts and leaves out the metrics. */
export function serviceEndpoints(
  { clock, service }: Pick<ApiServices, 'clock' | 'service'>,
  isPublic: boolean,
): Endpoint[] {
  return [...statusEndpoints({ clock, service }, isPublic), ...(isPublic ? [] : [metricsEndpoint(service)])];
}

function statusEndpoints({ clock, service }: Pick<ApiServices, 'clock' | 'service'>, isPublic: boolean): Endpoint[] {
  return [
    endpoint({
      ...about,
      path: '/api/v1/config',
      id: 'getConfig',
      summary: 'Everything that a client needs in order to sign anything',
      answer: wire.ServiceConfig,
      handle: async () => service.describe(),
    }),
    endpoint({
      ...about,
      path: '/api/v1/time',
      id: 'getTime',
      summary: "The service's clock",
      answer: wire.ServiceTime,
      handle: async () => ({ now: clock.nowSeconds(), nowMs: clock.nowMs() }),
    }),
    endpoint({
      ...about,
      path: '/api/v1/status',
      answeredBy: 'settler',
      id: 'getStatus',
      summary: "The operator's screen: dependencies, queues, rates, latency",
      answer: wire.ServiceStatus,
      handle: async () => (isPublic ? service.publicStatus() : service.status()),
    }),
    endpoint({
      ...about,
      path: '/health',
      id: 'getHealth',
      summary: 'The process is alive',
      answer: wire.ServiceHealth,
      handle: async () => ({ status: 'alive' }) as const,
    }),
    endpoint({
      ...about,
      path: '/ready',
      id: 'getReadiness',
      summary: 'The service can be used; 503 until then',
      answer: wire.ServiceReadiness,
      handle: async ({ reply }) => {
        const readiness = await service.ready();
        reply.code(readiness.status === 'ready' ? 200 : 503);
        return readiness;
      },
    }),
  ];
}

function metricsEndpoint(service: ApiServices['service']): Endpoint {
  return endpoint({
    ...about,
    path: '/metrics',
    id: 'getMetrics',
    summary: 'Prometheus metrics',
    answer: Type.String(),
    contentType: 'text/plain',
    handle: async ({ reply }) => {
      const { contentType, text } = await service.metrics();
      reply.type(contentType);
      return text;
    },
  });
}

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
      options: { onUpgrade: (socket, { raw, address }) => stream.accept({ socket, raw: raw.socket, address }) },
      handle: ({ reply }) => {
        reply.header('Upgrade', 'websocket');
        throw new PresageError('upgrade_required');
      },
    }),
  ];
}
