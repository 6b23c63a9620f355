// Orders: placing, reading, cancelling.
import { PresageError } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { needsToken, walletOf } from '../callers.ts';
import { addressOf, bytes32Of, chainIdOf, invalidField, optionalBytes32, type Query, textOf } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toOpenOrder, toOrderLifeEvent, toSubmitAnswer, toWireOrder } from '../wire-orders.ts';

export function orderRoutes({ orders, reads, views, guard }: ApiServices) {
  return (server: FastifyInstance): void => {
    server.post('/api/v1/orders', needsToken(guard), async (request, reply) => {
      const { answer, replayed } = await orders.submit(request.body);
      if (replayed) reply.header('Idempotent-Replayed', 'true');
      return toSubmitAnswer(answer);
    });

    server.get('/api/v1/orders', async (request) => {
      const query = request.query as Query;
      const trader = addressOf('trader', textOf(query, 'trader'));
      const marketId = optionalBytes32(query, 'market');
      return listOf(reads.openOrders({ trader, ...(marketId && { marketId }) }).map(toOpenOrder));
    });

    server.get<{ Params: { address: string } }>('/api/v1/users/:address/orders', async (request) => {
      const trader = addressOf('address', request.params.address);
      const chainId = chainIdOf(request.query as Query);
      const open = reads.openOrders({ trader });
      return listOf(
        open.filter(({ signed }) => reads.market(signed.order.marketId)?.facts.chainId === chainId).map(toOpenOrder),
      );
    });

    server.get<{ Params: { hash: string } }>('/api/v1/orders/:hash', async (request) => {
      const hash = bytes32Of('hash', request.params.hash);
      const remembered = reads.order(hash);
      if (remembered !== undefined) return toOpenOrder(remembered);
      const row = await views.order(hash);
      if (row === undefined) throw new PresageError('order_not_found', { orderHash: hash });
      return toWireOrder(row);
    });

    server.get<{ Params: { hash: string } }>('/api/v1/orders/:hash/events', async (request) => {
      const orderHash = bytes32Of('hash', request.params.hash);
      const moments = await views.orderLife(orderHash);
      if (moments === undefined) throw new PresageError('order_not_found', { orderHash });
      return { orderHash, events: moments.map(toOrderLifeEvent), count: moments.length };
    });

    server.delete<{ Params: { hash: string } }>('/api/v1/orders/:hash', needsToken(guard), async (request) => {
      const query = request.query as Query;
      const orderHash = bytes32Of('hash', request.params.hash);
      const marketId = bytes32Of('marketId', textOf(query, 'marketId'));
      // Looked up by hash: the side is checked for its spelling only, or its default would hide every sell order.
      const side = textOf(query, 'side');
      if (side !== undefined && side !== 'buy' && side !== 'sell') throw invalidField('side', 'buy or sell');
      return { status: 'cancelled', orderHash, ...(await orders.cancel(marketId, orderHash, walletOf(request))) };
    });
  };
}

function listOf(orders: object[]): object {
  return { orders, count: orders.length };
}
