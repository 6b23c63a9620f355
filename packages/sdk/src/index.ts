// The SDK: a client for traders and bots, the same in a browser and in Node.

export {
  type Address,
  type BestPrices,
  type Bytes32,
  chanceOf,
  formatMillionths as formatAmount,
  type Order,
  type Outcome,
  quoteYes,
  type Side,
  type YesQuote,
} from '@presage/protocol/browser';
export type { ApiKey } from './api-key.ts';
export {
  type ApiErrorCode,
  PresageApiError,
  PresageConnectionError,
  PresageInputError,
  PresageTransactionError,
} from './errors.ts';
export type { BuyOutcomeParams, OutcomePurchase } from './event-actions.ts';
export type { CallOptions, ChainOptions, HttpOptions } from './http.ts';
export {
  type AmountInput,
  type OutcomeName,
  type PriceInput,
  parseAmount,
  parsePrice,
  parseSize,
  type ResolutionName,
  type SideName,
} from './inputs.ts';
export type { OrderPreview, PlaceOptions } from './orders/order-actions.ts';
export type { OrderParams, OrderSubmissionBody } from './orders/order-builder.ts';
export type { OrderTrade } from './orders/placed-order.ts';
export { PlacedOrder, type SettlementResult, type WaitForSettlementOptions } from './orders/placed-order.ts';
export { createPublicClient, type PublicClient, type PublicClientOptions } from './public-client.ts';
export type { OracleCall } from './reads/dispute-calls.ts';
export type { EventQuoteParams, EventsQuery } from './reads/event-reads.ts';
export type { MarketsQuery, QuoteParams } from './reads/market-reads.ts';
export { type Quote, type QuotedBook, type QuoteTerms, quoteBook } from './reads/quote.ts';
export {
  type CreateEventParams,
  type CreateMarketParams,
  createSandboxClient,
  type SandboxClient,
  type SandboxFaults,
} from './sandbox-client.ts';
export type { AccountInput, Eip1193Provider, ProviderAccount } from './signer.ts';
export type { BookLevel } from './stream/local-book.ts';
export type { BookEvent, GapEvent, MarketUpdate, WatchMarketEvent } from './stream/market-follower.ts';
export type { ConnectionCallbacks, Watch } from './stream/watch.ts';
export type {
  WatchBookEvent,
  WatchEventEvent,
  WatchOptions,
  WatchQuickMarketEvent,
  WatchTradesEvent,
  WatchUserEvent,
} from './stream/watch-actions.ts';
export type { WatchPriceEvent } from './stream/watch-price.ts';
export { createTradingClient, type TradingClient, type TradingClientOptions } from './trading-client.ts';
export type * from './types.ts';
export type { CountingContract, OrderOnChain } from './wallet/leaving-actions.ts';
export type { RelayedTransaction } from './wallet/relay.ts';
export type { SetupOptions, SetupResult, SetupStep } from './wallet/setup.ts';
export type { ConversionParams, RedeemAllResult } from './wallet/share-actions.ts';
