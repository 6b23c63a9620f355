// Endpoints for orders: placing, reading, cancelling.
import {
  keysOf,
  LIMITS,
  type MarketId,
  type OrderAnswer,
  PresageError,
  type Receipt,
  toSeconds,
} from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { Wire } from '../answer.ts';
import { uncheckedBody } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { toOpenOrder, toOrderLifeEvent, toWireOrder } from '../mappers/order.ts';
import {
  CHAIN_ID,
  choiceOf,
  limitUpTo,
  MARKET_ID,
  narrowing,
  ORDER_HASH,
  optional,
  required,
  WALLET,
  withDefault,
} from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const orderReads = { method: 'get', tag: 'Orders' } as const;
const orderWrites = { tag: 'Orders', access: 'token' } as const;

/** The parameter `side`: validated but ignored, since its default would hide every sell order. */
const SIDE = choiceOf(['buy', 'sell'], 'Checked for its spelling only: orders are looked up by hash', 'buy or sell');

/** Statuses of orders on the book, read from the engine. */
const ON_BOOK = {
  open: {},
  partially_filled: { hasFills: true },
} as const;

/** Statuses of orders of the last 24 hours, read from the view, with the filter for each. */
const RECENT = {
  filled: { status: 'filled' },
  cancelled: { status: 'cancelled' },
  expired: { status: 'expired' },
  all: {},
} as const;

const STATUS = choiceOf(
  [...keysOf(ON_BOOK), ...keysOf(RECENT)],
  'Those on the book, those of them with fills, or of those placed in the last 24 hours the filled, cancelled or expired ones or all; open when absent',
);

/** Market to filter by; null if different ones are named, which no order matches. */
export function chooseMarket(...named: readonly (MarketId | undefined)[]): MarketId | null | undefined {
  const [market, ...others] = new Set(named.filter((each) => each !== undefined));
  return others.length === 0 ? market : null;
}

const LIMIT = optional(
  limitUpTo(LIMITS.ordersListed, LIMITS.ordersListed),
  `How many at most: 1 to ${LIMITS.ordersListed}, more is clamped; when absent, all on the book, and ${LIMITS.ordersListed} of the last 24 hours`,
);

type Services = Pick<ApiServices, 'orders' | 'reads' | 'views' | 'clock'>;

export function orderEndpoints(services: Services): Endpoint[] {
  return [submission(services), ...lists(services), ...ofOneOrder(services), cancellation(services)];
}

function submission({ orders }: Services): Endpoint {
  return endpoint({
    ...orderWrites,
    method: 'post',
    path: '/api/v1/orders',
    id: 'submitOrder',
    summary: 'Place a signed order',
    isShedFirst: true,
    description:
      'Idempotent by hash: the same signed order posted again answers with the first answer and `Idempotent-Replayed: true`. ' +
      'Accepted means durable.',
    // Unchecked here, because parsing the body is admission's first check.
    body: uncheckedBody(wire.OrderSubmissionInput),
    answer: wire.SubmitOrderAnswer,
    errors: [
      'price_out_of_range',
      'size_zero',
      'size_too_small',
      'size_too_large',
      'expiration_too_soon',
      'fee_recipient_not_zero',
      'invalid_signature_length',
      'market_not_found',
      'market_closed',
      'invalid_signature',
      'exchange_halted',
      'market_paused',
      'wallet_blocked',
      'trading_halted',
      'not_admitted',
      'admission_unavailable',
      'nonce_already_used',
      'insufficient_balance',
      'insufficient_allowance',
      'invalid_permit',
      'would_cross',
      'would_increase',
      'fok_not_filled',
      'price_unavailable',
      'chain_unavailable',
    ],
    handle: async ({ body, request, reply }) => {
      const { turn } = request;
      const { answer, replayed, receipt } = await orders.submit(body, turn);
      if (!replayed) return toSubmitAnswer(answer, receipt);
      reply.header('Idempotent-Replayed', 'true');
      return toSubmitAnswer(answer, await orders.receiptOf(answer.orderHash, turn));
    },
  });
}

/** Allows the receipt to be assigned afterwards: a spread would cost every order more than its matching. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function toSubmitAnswer(answer: OrderAnswer, receipt?: Receipt): Wire<'SubmitOrderAnswer'> {
  const body: Mutable<Wire<'SubmitOrderAnswer'>> = {
    orderHash: answer.orderHash,
    status: 'accepted',
    matches: answer.matches,
    timestamp: toSeconds(answer.timeMs),
    filledSize: answer.filledSize,
    remainingSize: answer.remainingSize,
    orderStatus: answer.orderStatus,
    trades: answer.trades,
  };
  if (receipt !== undefined) body.receipt = receipt;
  return body;
}

function lists({ reads, views, clock }: Services): Endpoint[] {
  return [
    endpoint({
      ...orderReads,
      path: '/api/v1/orders',
      id: 'listOpenOrders',
      summary: 'Orders of a trader, newest first',
      query: {
        trader: required(WALLET),
        market_id: narrowing(MARKET_ID, 'Only of this market'),
        market: narrowing(MARKET_ID, 'The same as market_id'),
        status: withDefault(STATUS, 'open'),
        limit: LIMIT,
      },
      answer: wire.OrderList,
      handle: async ({ query: { trader, market_id: marketId, market, status, limit } }) => {
        const ofMarket = chooseMarket(marketId, market);
        if (ofMarket === null) return { orders: [], count: 0 };
        const filter = { trader, ...(ofMarket && { marketId: ofMarket }) };
        if (status === 'open' || status === 'partially_filled') {
          const open = reads.openOrders({ ...filter, ...ON_BOOK[status], limit });
          return { orders: open.map(toOpenOrder), count: open.length };
        }
        const query = { ...filter, ...RECENT[status], limit: limit ?? LIMITS.ordersListed };
        const recent = await views.listRecentOrders(clock.nowMs(), query);
        return { orders: recent.map(toWireOrder), count: recent.length };
      },
    }),
    endpoint({
      ...orderReads,
      path: '/api/v1/users/:address/orders',
      id: 'listUserOrders',
      summary: 'Open orders of a wallet across all markets of a chain',
      params: { address: WALLET },
      query: {
        chain_id: required(CHAIN_ID),
        limit: LIMIT,
      },
      answer: wire.OrderList,
      handle: async ({ params, query }) => {
        const filter = { trader: params.address, chainId: query.chain_id, limit: query.limit };
        const open = reads.openOrders(filter).map(toOpenOrder);
        return { orders: open, count: open.length };
      },
    }),
  ];
}

function ofOneOrder({ reads, views }: Services): Endpoint[] {
  return [
    endpoint({
      ...orderReads,
      path: '/api/v1/orders/:hash',
      id: 'getOrder',
      summary: 'Any order that ever was',
      params: { hash: ORDER_HASH },
      answer: wire.OpenOrder,
      errors: ['order_not_found'],
      handle: async ({ params: { hash } }) => {
        const remembered = reads.order(hash);
        if (remembered !== undefined) return toOpenOrder(remembered);
        const row = await views.findOrder(hash);
        if (row === undefined) throw new PresageError('order_not_found', { orderHash: hash });
        return toWireOrder(row);
      },
    }),
    endpoint({
      ...orderReads,
      path: '/api/v1/orders/:hash/events',
      id: 'getOrderLife',
      summary: "An order's whole life",
      params: { hash: ORDER_HASH },
      answer: wire.OrderLife,
      errors: ['order_not_found'],
      handle: async ({ params: { hash } }) => {
        const entries = await views.listOrderLife(hash);
        if (entries === undefined) throw new PresageError('order_not_found', { orderHash: hash });
        return { orderHash: hash, events: entries.map(toOrderLifeEvent), count: entries.length };
      },
    }),
  ];
}

function cancellation({ orders }: Services): Endpoint {
  return endpoint({
    ...orderWrites,
    method: 'delete',
    path: '/api/v1/orders/:hash',
    id: 'cancelOrder',
    summary: 'Cancel an order',
    params: { hash: ORDER_HASH },
    query: { marketId: required(MARKET_ID), side: optional(SIDE) },
    answer: wire.CancelAnswer,
    errors: ['order_not_found', 'order_not_open', 'order_not_yours'],
    handle: async ({ params: { hash }, query: { marketId }, wallet }) => {
      const cancelled = await orders.cancel(marketId, hash, wallet);
      return { status: 'cancelled', orderHash: hash, ...cancelled } as const;
    },
  });
}
