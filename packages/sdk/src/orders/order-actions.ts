// Placing, trying and cancelling orders.
import { LIMITS } from '@presage/protocol/browser';
import { PresageApiError, PresageInputError, type Refusal } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import { toBytes32 } from '../inputs.ts';
import type { userReads } from '../reads/user-reads.ts';
import type { Session } from '../session.ts';
import type {
  BatchAnswer,
  CancelAllAnswer,
  CancelAnswer,
  HeartbeatAnswer,
  OrderValidation,
  SubmitOrderAnswer,
} from '../types.ts';
import { NonceSequence } from './nonces.ts';
import { OrderBuilder, type OrderParams, type OrderSubmissionBody } from './order-builder.ts';
import { PlacedOrder } from './placed-order.ts';

/** The answer to an order on trial. */
export type OrderPreview = Omit<OrderValidation, 'recoveredSigner'>;

type UserReads = ReturnType<typeof userReads>;

export function orderActions(session: Session, reads: UserReads) {
  const builder = new OrderBuilder(session, new NonceSequence());

  /** Posted again, the very same signed order is answered and not doubled: a lost answer can be asked for again. */
  const submit = async (wish: OrderParams, options: CallOptions): Promise<PlacedOrder> => {
    const body = await builder.sign(wish, options);
    const answer = await session.post<SubmitOrderAnswer>('/api/v1/orders', { ...options, body, repeatable: 'always' });
    return new PlacedOrder(body.order, answer, ports);
  };

  const cancel = async (
    orderHash: string,
    { marketId, signal }: CallOptions & { readonly marketId?: string } = {},
  ): Promise<CancelAnswer> => {
    const hash = toBytes32('orderHash', orderHash);
    const market = marketId ?? (await reads.getOrder(hash, { signal })).marketId;
    return session.delete(`/api/v1/orders/${hash}`, { query: { marketId: market }, signal });
  };

  const ports = { cancel, getOrder: reads.getOrder, getOrderEvents: reads.getOrderEvents };

  return {
    /**
     * Signs an order and places it. Amounts are turned into integers exactly or refused with PresageInputError; a
     * refusal of the service is a PresageApiError. Selling shares you do not hold buys the other side.
     */
    placeOrder: async (wish: OrderParams, options: CallOptions = {}): Promise<PlacedOrder> => {
      try {
        return await submit(wish, options);
      } catch (error) {
        if (!isClockMoved(error, wish)) throw error;
        session.forgetClock();
        return submit(wish, options);
      }
    },

    /** What would become of the order now: its fills, its cost and every fault. Nothing is stored, and nothing is signed. */
    previewOrder: async (wish: OrderParams, { signal }: CallOptions = {}): Promise<OrderPreview> => {
      const body = await builder.draft(wish, { signal });
      const { recoveredSigner: _nobody, ...preview } = await session.http.send<OrderValidation>({
        method: 'POST',
        path: '/api/v1/orders/validate',
        body,
        signal,
        repeatable: 'always',
      });
      return { ...preview, errors: preview.errors.filter(({ code }) => code !== 'invalid_signature') };
    },

    /** Up to 50 orders in one request; each comes back placed or refused, in the order of the wishes. */
    placeOrders: async (
      wishes: readonly OrderParams[],
      options: CallOptions = {},
    ): Promise<(PlacedOrder | PresageApiError)[]> => {
      if (wishes.length > LIMITS.batchOrders) {
        throw new PresageInputError('wishes', `at most ${LIMITS.batchOrders} orders`, wishes.length);
      }
      const orders: OrderSubmissionBody[] = [];
      for (const wish of wishes) orders.push(await builder.sign(wish, options));
      const { results } = await session.post<BatchAnswer>('/api/v1/orders/batch', {
        ...options,
        body: { orders },
        repeatable: 'always',
      });
      return results.map((result, index) => {
        if ('code' in result) return PresageApiError.ofCode(result as Refusal);
        return new PlacedOrder(orders[index]!.order, result, ports);
      });
    },

    /** Takes what is left of an order off the book; the market is looked up when it is not named. */
    cancel,

    /** Cancels every open order of this wallet, in one market or in all. */
    cancelAll: async ({
      marketId,
      signal,
    }: CallOptions & { readonly marketId?: string } = {}): Promise<CancelAllAnswer> => {
      const query = { ...(marketId !== undefined && { marketId }), ...(await traderField(session)) };
      return session.delete('/api/v1/orders', { query, signal });
    },

    /** Dead-man switch: unless called again within so many seconds (5 to 3600), this wallet's orders go. 0 disarms it. */
    heartbeat: async (timeoutSeconds: number, { signal }: CallOptions = {}): Promise<HeartbeatAnswer> => {
      const body = { timeoutSeconds, ...(await traderField(session)) };
      return session.post('/api/v1/orders/heartbeat', { body, signal, repeatable: 'always' });
    },
  };
}

/** The token says whose orders are meant; where there are no tokens, the request does. */
async function traderField(session: Session): Promise<{ readonly trader?: string }> {
  const { authRequired } = await session.config();
  return authRequired ? {} : { trader: session.signer.address };
}

/** A sandbox that travelled in time makes an order stale that was fresh by the clock we remembered. */
function isClockMoved(error: unknown, { expiration }: OrderParams): boolean {
  return error instanceof PresageApiError && error.code === 'expiration_too_soon' && expiration === undefined;
}
