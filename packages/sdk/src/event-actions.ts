// Buys an outcome of an event the cheapest way: its YES, or NO of all the others, converted.
import { PresageInputError } from './errors.ts';
import type { CallOptions } from './http.ts';
import { type PriceInput, parsePrice } from './inputs.ts';
import type { orderActions } from './orders/order-actions.ts';
import type { PlacedOrder } from './orders/placed-order.ts';
import type { PublicActions } from './public-client.ts';
import type { EventQuoteParams } from './reads/event-reads.ts';
import type { EventQuote } from './types.ts';
import type { RelayedTransaction } from './wallet/relay.ts';
import type { walletActions } from './wallet/wallet-actions.ts';

export interface BuyOutcomeParams extends EventQuoteParams {
  /** The highest price of a share, without fees; if absent, as deep as the books go. */
  readonly price?: PriceInput;
}

export interface OutcomePurchase {
  readonly quote: EventQuote;
  /** Orders of the purchase, all of them filled. */
  readonly orders: readonly PlacedOrder[];
  /** Absent if YES was bought, or if a fill failed: then the wallet holds the NO shares of the others. */
  readonly conversion?: RelayedTransaction;
}

type Actions = PublicActions & ReturnType<typeof orderActions> & ReturnType<typeof walletActions>;

export function eventActions({ quoteEvent, placeOrdersTogether, convertPositions }: Actions) {
  return {
    /**
     * Buys an outcome of an event the cheapest way, at the quoted prices or not at all. If that is NO of all the
     * others, waits for their settlement and converts them.
     */
    buyOutcome: async (
      eventId: string,
      { price, ...params }: BuyOutcomeParams,
      options: CallOptions = {},
    ): Promise<OutcomePurchase> => {
      const quote = await quoteEvent(eventId, params, options);
      const way = quote.best && quote[quote.best];
      if (!way) throw new PresageInputError('size', 'no more than what is on offer', params.size);
      if (price !== undefined && way.worstPrice > parsePrice(price))
        throw new PresageInputError('price', `at least the quoted ${way.worstPrice} millionths`, price);
      const orders = await placeOrdersTogether(
        way.orders.map(({ marketId, outcome, ...order }) => ({
          marketId,
          side: 'buy',
          outcome: outcome === 0 ? 'YES' : 'NO',
          price: BigInt(order.price),
          size: BigInt(order.size),
        })),
        options,
      );
      if (way.conversion === undefined) return { quote, orders };
      const results = await Promise.all(orders.map((order) => order.waitForSettlement(options)));
      if (results.some(({ failed }) => failed.length > 0)) return { quote, orders };
      const { indexes, amount } = way.conversion;
      const conversion = await convertPositions(eventId, { indexes, amount: BigInt(amount) }, options);
      return { quote, orders, conversion };
    },
  };
}
