// Endpoints for many orders at once: batches, cancel-all, the dead-man switch.
import { HEARTBEAT_TIMEOUT, LIMITS, PresageError } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { PlacedOrder } from '../../host/host-commands.ts';
import type { OrderTurn } from '../../host/ports.ts';
import { bodyOf, invalidField } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { MARKET_ID, narrowingWhenAsked, WALLET, whenAsked } from '../parameters.ts';
import { toPresageError, toRefusalBody } from '../refusals.ts';
import type { ApiServices } from '../services.ts';
import { chooseMarket, toSubmitAnswer } from './orders.ts';

const { batchOrders: maximum, heartbeatMinSeconds, heartbeatMaxSeconds } = LIMITS;
const orderWrites = { tag: 'Orders', access: 'token' } as const;

/** Other orders of the batch may just have been placed: who sent them is told so, though the receipt of a repeated one cannot be had now. */
function goWithout(error: unknown): undefined {
  if (!(error instanceof PresageError)) throw error;
}

export function orderBulkEndpoints({ orders }: Pick<ApiServices, 'orders'>): Endpoint[] {
  const toAnswer = async ({ answer, replayed, receipt }: PlacedOrder, turn: OrderTurn | undefined) =>
    toSubmitAnswer(answer, replayed ? await orders.receiptOf(answer.orderHash, turn).catch(goWithout) : receipt);
  return [
    endpoint({
      ...orderWrites,
      method: 'post',
      path: '/api/v1/orders/batch',
      id: 'submitOrders',
      summary: 'Place up to 50 signed orders',
      isShedFirst: true,
      description:
        'Each is judged for itself; a refusal stands in its place in the list. With `atomic` all are placed in one frame of the journal, or none: every order is then FOK or post-only.',
      body: bodyOf(wire.BatchInput),
      answer: wire.BatchAnswer,
      errors: ['batch_too_large', 'batch_not_filled', 'batch_across_partitions'],
      handle: async ({ body, request }) => {
        if (body.orders.length > maximum) throw new PresageError('batch_too_large', { maximum });
        const { turn } = request;
        if (body.atomic === true) {
          const placed = await orders.submitAtomic(body.orders, turn);
          return { results: await Promise.all(placed.map((each) => toAnswer(each, turn))) };
        }
        const results = await orders.submitAll(body.orders, turn);
        const answers = results.map((result) =>
          result.status === 'fulfilled'
            ? toAnswer(result.value, turn)
            : toRefusalBody(toPresageError(result.reason), request.id),
        );
        return { results: await Promise.all(answers) };
      },
    }),
    endpoint({
      ...orderWrites,
      method: 'delete',
      path: '/api/v1/orders',
      id: 'cancelOrders',
      summary: 'Cancel all orders of a wallet, in one market or in all',
      query: {
        marketId: narrowingWhenAsked(MARKET_ID, 'Only in this market'),
        market_id: narrowingWhenAsked(MARKET_ID, 'The same as marketId'),
        market: narrowingWhenAsked(MARKET_ID, 'The same as marketId'),
        trader: whenAsked(WALLET, 'Required where authentication is off; else it is the wallet of the token'),
      },
      answer: wire.CancelAllAnswer,
      handle: async ({ query, wallet }) => {
        const trader = wallet ?? query.trader();
        // The names by which lists of orders are narrowed down: a client that clears one market must not clear all.
        const market = chooseMarket(query.marketId(), query.market_id(), query.market());
        if (market === null) return { cancelled: [], count: 0 };
        const { cancelled, ...receipt } = await orders.cancelAll(trader, market);
        return { cancelled, count: cancelled.length, ...receipt };
      },
    }),
    endpoint({
      ...orderWrites,
      method: 'post',
      path: '/api/v1/orders/heartbeat',
      id: 'setHeartbeat',
      summary: 'Arm, renew or disarm the dead-man switch',
      description: "When it expires, all of the wallet's orders are cancelled.",
      body: bodyOf(wire.HeartbeatInput),
      answer: wire.HeartbeatAnswer,
      handle: async ({ body: { timeoutSeconds, trader }, wallet }) => {
        const isInRange = timeoutSeconds >= heartbeatMinSeconds && timeoutSeconds <= heartbeatMaxSeconds;
        if (timeoutSeconds !== 0 && !isInRange) throw invalidField('timeoutSeconds', HEARTBEAT_TIMEOUT);
        const lapseMs = await orders.heartbeat(wallet ?? WALLET.read('trader', trader), timeoutSeconds);
        return { expiresAt: lapseMs === 0 ? null : Math.floor(lapseMs / 1_000) };
      },
    }),
  ];
}
