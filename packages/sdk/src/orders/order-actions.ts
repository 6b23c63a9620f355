// Places, previews and cancels orders.
import { BATCH_ORDERS } from '@presage/protocol/browser';
import { PresageApiError, PresageInputError, type Refusal } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import { toBytes32 } from '../inputs.ts';
import type { PublicActions } from '../public-client.ts';
import type { Session } from '../session.ts';
import type {
  BatchOrdersResponse,
  CancelAllResponse,
  CancelOrderResponse,
  HeartbeatResponse,
  OrderValidation,
  SubmitOrderResponse,
} from '../types.ts';
import { NonceSequence } from './nonces.ts';
import { OrderBuilder, type OrderParams, type OrderSubmissionBody } from './order-builder.ts';
import { PlacedOrder, type PlacedOrderPorts } from './placed-order.ts';

/** The response to a previewed order. */
export type OrderPreview = Omit<OrderValidation, 'recoveredSigner'>;

export interface PlaceOptions extends CallOptions {
  /** Called with the signed order before it is sent. */
  readonly onSigned?: (order: OrderSubmissionBody) => void;
}

export function orderActions(session: Session, reads: PublicActions) {
  const cancel = async (
    orderHash: string,
    { marketId, signal }: CallOptions & { readonly marketId?: string } = {},
  ): Promise<CancelOrderResponse> => {
    const hash = toBytes32('orderHash', orderHash);
    const market = marketId ?? (await reads.getOrder(hash, { signal })).marketId;
    return session.delete(`/api/v1/orders/${hash}`, { query: { marketId: market }, signal });
  };
  const { getOrder, getOrderEvents } = reads;

  return {
    ...placingActions(session, { cancel, getOrder, getOrderEvents }),

    /** Cancels the open remainder of an order; looks up the market if it is not given. */
    cancel,

    /** Cancels every open order of this wallet, in one market or in all. */
    cancelAll: async ({
      marketId,
      signal,
    }: CallOptions & { readonly marketId?: string } = {}): Promise<CancelAllResponse> => {
      const query = { ...(marketId !== undefined && { marketId }), ...(await traderField(session)) };
      return session.delete('/api/v1/orders', { query, signal });
    },

    /** Dead-man switch: unless called again within this many seconds (5 to 3600), all orders of this wallet are cancelled. 0 disarms it. */
    heartbeat: async (timeoutSeconds: number, { signal }: CallOptions = {}): Promise<HeartbeatResponse> => {
      const body = { timeoutSeconds, ...(await traderField(session)) };
      return session.post('/api/v1/orders/heartbeat', { body, signal, repeatable: 'always' });
    },
  };
}

function placingActions(session: Session, ports: PlacedOrderPorts) {
  const builder = new OrderBuilder(session, new NonceSequence());

  /** The service recognises the same signed order and does not place it twice, so a lost response can be retried. */
  const send = async (body: OrderSubmissionBody, { signal }: CallOptions = {}): Promise<PlacedOrder> => {
    const request = { signal, body, repeatable: 'always' } as const;
    return new PlacedOrder(body.order, await session.post<SubmitOrderResponse>('/api/v1/orders', request), ports);
  };

  const submit = async (params: OrderParams, options: PlaceOptions): Promise<PlacedOrder> => {
    const body = await builder.sign(params, options);
    options.onSigned?.(body);
    return send(body, options);
  };

  const sendAll = async (
    orders: readonly OrderParams[],
    { atomic, ...options }: CallOptions & { readonly atomic?: true },
  ) => {
    if (orders.length > BATCH_ORDERS)
      throw new PresageInputError('orders', `at most ${BATCH_ORDERS} orders`, orders.length);
    const signed: OrderSubmissionBody[] = [];
    for (const params of orders) signed.push(await builder.sign(params, options));
    const body = { orders: signed, ...(atomic && { atomic }) };
    const request = { ...options, body, repeatable: 'always' } as const;
    const { results } = await session.post<BatchOrdersResponse>('/api/v1/orders/batch', request);
    return results.map((result, index) => {
      if (!('code' in result)) return new PlacedOrder(signed[index]!.order, result, ports);
      // The schema has codes as text; the catalogue lists all of them.
      return PresageApiError.ofCode(result as Refusal);
    });
  };

  return {
    /**
     * Signs an order and places it. Amounts are turned into integers exactly or refused with PresageInputError; a
     * refusal of the service is a PresageApiError. Selling shares you do not hold buys the other side.
     */
    placeOrder: async (params: OrderParams, options: PlaceOptions = {}): Promise<PlacedOrder> => {
      const startMs = Date.now();
      try {
        return await submit(params, options);
      } catch (error) {
        // After minutes the order may have been placed, its answer lost and its time over: a new signature would be a
        // second order.
        if (!isClockMoved(error, params) || Date.now() > startMs + LATE_MS) throw error;
        session.forgetClock();
        return submit(params, options);
      }
    },

    /** Sends an order from `onSigned` again: after a lost response it is still the same order, never a second one. */
    sendSignedOrder: send,

    /** The effect of the order now: its fills, its cost and every reason to refuse it. Nothing is stored or signed. */
    previewOrder: async (params: OrderParams, { signal }: CallOptions = {}): Promise<OrderPreview> => {
      const body = await builder.draft(params, { signal });
      const request = { method: 'POST', path: '/api/v1/orders/validate', body, signal, repeatable: 'always' } as const;
      const { recoveredSigner: _nobody, ...preview } = await session.http.send<OrderValidation>(request);
      return { ...preview, errors: preview.errors.filter(({ code }) => code !== 'invalid_signature') };
    },

    /**
     * Up to 50 orders, all or none: they are placed together, or PresageApiError with `batch_not_filled` names the one
     * that cannot be. Each fills completely at once (FOK) unless it is post-only.
     */
    placeOrdersTogether: async (orders: readonly OrderParams[], options: CallOptions = {}): Promise<PlacedOrder[]> => {
      const results = await sendAll(orders.map(toFillOrKill), { ...options, atomic: true });
      return results.map((result) => {
        if (result instanceof PresageApiError) throw result;
        return result;
      });
    },

    /**
     * Up to 50 orders in one request; each is placed or refused by itself, and results are in the order of the
     * requests.
     */
    placeOrders: (
      orders: readonly OrderParams[],
      options: CallOptions = {},
    ): Promise<(PlacedOrder | PresageApiError)[]> => sendAll(orders, options),
  };
}

function toFillOrKill(params: OrderParams): OrderParams {
  return params.postOnly ? params : { timeInForce: 'FOK', ...params };
}

/** A token identifies the wallet; without authentication the request must name it. */
async function traderField(session: Session): Promise<{ readonly trader?: string }> {
  const { authRequired } = await session.config();
  return authRequired ? {} : { trader: session.signer.address };
}

const LATE_MS = 60_000;

/** After sandbox time travel, an order built with the remembered clock may already be expired. */
function isClockMoved(error: unknown, { expiration }: OrderParams): boolean {
  return error instanceof PresageApiError && error.code === 'expiration_too_soon' && expiration === undefined;
}
