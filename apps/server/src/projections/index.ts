// The read models of the service: what follows the journal into PostgreSQL, and what may be asked there.
export type { FeedLimits, ViewSource } from './batch-feed.ts';
export * from './market-figures.ts';
export * from './market-queries.ts';
export * from './order-life.ts';
export * from './order-queries.ts';
export * from './position-queries.ts';
export { Projector, type ProjectorOptions, type ProjectorProgress } from './projector.ts';
export * from './settlement-queries.ts';
export {
  type FailedTradeRow,
  listFailedTrades,
  listPendingTrades,
  listTrades,
  type TradeRow,
} from './trade-queries.ts';
