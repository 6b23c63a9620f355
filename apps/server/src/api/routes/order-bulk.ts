// Many orders at once: batches, cancel-all, the dead-man switch.
import { BatchInput, HEARTBEAT_TIMEOUT, HeartbeatInput, LIMITS, PresageError } from '@presage/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toPresageError, toRefusalBody } from '../answers.ts';
import { bodyOf } from '../bodies.ts';
import { needsToken, walletOf } from '../callers.ts';
import { addressOf, invalidField, optionalBytes32, type Query, textOf } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toSubmitAnswer } from '../wire-orders.ts';

const checkBatch = bodyOf(BatchInput);
const checkHeartbeat = bodyOf(HeartbeatInput);

export function orderBulkRoutes({ orders, guard }: ApiServices) {
  return (server: FastifyInstance): void => {
    server.post('/api/v1/orders/batch', needsToken(guard), async (request) => {
      const { orders: bodies } = checkBatch(request.body);
      if (bodies.length > LIMITS.batchOrders)
        throw new PresageError('batch_too_large', { maximum: LIMITS.batchOrders });
      const results = await orders.submitAll(bodies);
      return {
        results: results.map((result) =>
          result.status === 'fulfilled'
            ? toSubmitAnswer(result.value.answer)
            : toRefusalBody(toPresageError(result.reason), request.id),
        ),
      };
    });

    server.delete('/api/v1/orders', needsToken(guard), async (request) => {
      const query = request.query as Query;
      const wallet = walletOf(request) ?? addressOf('trader', textOf(query, 'trader'));
      const cancelled = await orders.cancelAll(wallet, optionalBytes32(query, 'marketId'));
      return { cancelled, count: cancelled.length };
    });

    server.post('/api/v1/orders/heartbeat', needsToken(guard), async (request) => {
      const { timeoutSeconds, trader } = checkHeartbeat(request.body);
      const { heartbeatMinSeconds: least, heartbeatMaxSeconds: most } = LIMITS;
      if (timeoutSeconds !== 0 && (timeoutSeconds < least || timeoutSeconds > most)) {
        throw invalidField('timeoutSeconds', HEARTBEAT_TIMEOUT);
      }
      const lapseMs = await orders.heartbeat(wallet(request, trader), timeoutSeconds);
      return { expiresAt: lapseMs === 0 ? null : Math.floor(lapseMs / 1_000) };
    });
  };
}

/** The token says who asks; without authentication the body does. */
function wallet(request: FastifyRequest, trader: string | undefined) {
  return walletOf(request) ?? addressOf('trader', trader);
}
