// The matching engine: commands in, events out; no clock, no randomness, no I/O.
export { type Book, type CreateBook, type Level, NONE } from './book/book.ts';
export { createBookPools, FastBook, fastBooks } from './book/fast-book.ts';
export { EventBytes } from './bytes/event-bytes.ts';
export { TRADE_MOVES } from './decide-trade.ts';
export { Engine, type EngineOptions, type EngineSize, type RetiredMarket, type TakenCheckpoint } from './engine.ts';
export type { EngineImage } from './image.ts';
export { CONFIRMED_KEPT_MS } from './memory.ts';
export { toOrderAnswer } from './order-answer.ts';
export type { MarketView } from './records.ts';
export type { RetiredFields, RetiredFilter, RetiredTotal } from './retired-markets.ts';
export { PackedCommands } from './slabs/packed-commands.ts';
export type { Trial } from './trial.ts';
export type { OrderView, TradeBrief, TradeView } from './views.ts';
