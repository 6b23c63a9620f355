// The service about itself: configuration, clock, health, readiness, metrics, status.
import type { FastifyInstance } from 'fastify';
import type { ApiServices, StatusPort } from '../services.ts';

export function serviceRoutes({ clock, service }: Pick<ApiServices, 'clock' | 'service'>) {
  return (server: FastifyInstance): void => {
    server.get('/api/v1/config', async () => service.describe());
    server.get('/api/v1/time', async () => ({ now: clock.nowSeconds(), nowMs: clock.nowMs() }));
    server.get('/api/v1/status', async () => service.status());
  };
}

/** These answer while the engine still recovers. */
export function healthRoutes(service: Pick<StatusPort, 'ready' | 'metrics'>) {
  return (server: FastifyInstance): void => {
    server.get('/health', async () => ({ status: 'alive' }));
    server.get('/ready', async (_request, reply) => {
      const { isReady, body } = await service.ready();
      return reply.code(isReady ? 200 : 503).send(body);
    });
    server.get('/metrics', async (_request, reply) => {
      const { contentType, text } = await service.metrics();
      return reply.header('content-type', contentType).serializer(String).send(text);
    });
  };
}
