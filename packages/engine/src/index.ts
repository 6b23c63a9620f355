// The matching engine: commands in, events out; no clock, no randomness, no I/O.

export { type Book, type BookOrder, type CreateBook, type Level, NONE } from './book.ts';
export { TRADE_MOVES } from './decide-trade.ts';
export { Engine, type EngineOptions, type EngineSize } from './engine.ts';
export { createBookPools, FastBook, fastBooks } from './fast-book.ts';
export type { MarketView } from './market-view.ts';
export { CONFIRMED_KEPT_MS } from './memory.ts';
export { toOrderAnswer } from './order-answer.ts';
export type { OrderView, TradeView } from './views.ts';
