// The state as memory, beside the lines of a checkpoint: a start reads it instead of parsing every order and trade from
// its line.
import {
  MARKET_KINDS,
  ORDER_STATUSES,
  ORDER_TERMS,
  RESOLUTION_STATUSES,
  TRADE_STAGES,
  type TradeSettlement,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import { IS_LITTLE } from './bytes/event-bytes.ts';
import { noteClosings, readLines, writeMarkets } from './checkpoint.ts';
import { fromPermitFields, type PermitFields, toPermitFields } from './checkpoint-lines.ts';
import type { EngineState } from './engine-state.ts';
import { MarketTable } from './market-table.ts';
import { noteClosed, noteConfirmed } from './memory.ts';
import { ENTRY_NUMBERS, ENTRY_WORDS, RetiredMarkets } from './retired-markets.ts';
import { ACCOUNT_WORDS, AccountSlab } from './slabs/account-slab.ts';
import { MarketIds } from './slabs/market-ids.ts';
import { type OrderExtras, RECORD_BYTES } from './slabs/order-record.ts';
import { ORDER_WORDS, OrderSlab, PREVIOUS } from './slabs/order-slab.ts';
import { SignedOrders } from './slabs/signed-orders.ts';
import { CONFIRMED, TRADE_WORDS, TradeSlab } from './slabs/trade-slab.ts';
import { type MarketTies, PAUSE, type TakenState } from './taken-state.ts';

/** Increased when fields of a slab change their position or meaning. */
const IMAGE_VERSION = 2;
/** An image with another layout is refused, since the lines give the same state. */
const LAYOUT = JSON.stringify([
  IMAGE_VERSION,
  IS_LITTLE,
  RECORD_BYTES,
  ORDER_WORDS,
  TRADE_WORDS,
  ACCOUNT_WORDS,
  ENTRY_NUMBERS,
  ENTRY_WORDS,
  ORDER_STATUSES,
  TRADE_STAGES,
  ORDER_TERMS,
  MARKET_KINDS,
  RESOLUTION_STATUSES,
]);

export interface EngineImage {
  /** The parts that memory does not hold: its own layout, the markets, and rare fields of orders and trades. */
  readonly texts: Iterable<string>;
  readonly memory: readonly Uint8Array[];
}

type SettlementNote = readonly [tag: 'settlement', trade: number, settlement: TradeSettlement];
type ExtrasNote = readonly [
  tag: 'extras',
  order: number,
  makerFeeRecipient: OrderExtras['makerFeeRecipient'],
  signature: OrderExtras['signature'],
  permit: PermitFields | null,
];

/** Views of memory that does not change until the taken state is given back. */
export function memoryOf(taken: TakenState): Uint8Array[] {
  const { used, orders, signed, trades, accounts } = taken;
  const ties = Int32Array.from(taken.markets().flatMap((market) => market.ties));
  return [
    new Uint8Array(ties.buffer),
    signed.image(used),
    ...orders.image(used),
    ...accounts,
    ...trades.image(),
    new Uint8Array(taken.entries.buffer),
    taken.ids,
    ...taken.retiredImage.memory,
  ];
}

/** Texts without line feeds. */
export function* textsOf(taken: TakenState): Generator<string | typeof PAUSE> {
  const { used, orders, signed, trades } = taken;
  yield LAYOUT;
  yield JSON.stringify(taken.retiredImage.categories);
  yield* writeMarkets(taken);
  for (let order = 0; order < used; order++) {
    const extras = orders.isPresent(order) ? signed.extras(order) : undefined;
    if (extras !== undefined) yield JSON.stringify(toExtrasNote(order, extras));
    else if (order % 1_024 === 0) yield PAUSE;
  }
  for (const trade of trades.remembered()) {
    const settlement = trades.settlements[trade];
    if (settlement !== undefined) yield JSON.stringify(['settlement', trade, settlement] satisfies SettlementNote);
  }
}

function toExtrasNote(order: number, { makerFeeRecipient, signature, permit }: OrderExtras): ExtrasNote {
  return ['extras', order, makerFeeRecipient, signature, permit === undefined ? null : toPermitFields(permit)];
}

/** Fills an empty state. Parts that the image leaves out (tables, books, lapse times) are derived. */
export function readImage(state: EngineState, { texts, memory }: EngineImage): void {
  const [layout, categories, ...rest] = texts;
  if (layout !== LAYOUT || categories === undefined)
    throw new Error('the memory is laid out for another version of this program');
  const ties = readSlabs(state, memory.slice(0, SLAB_PARTS));
  const numbers = readRetired(state, memory.slice(SLAB_PARTS), JSON.parse(categories));
  if (numbers.length !== ties.length) throw new Error('the memory has other markets than the texts');
  readRecords(
    state,
    rest.filter((text) => !isNote(text)),
    numbers,
  );
  for (const [index, number] of numbers.entries()) tieMarket(state, number, ties[index]!);
  for (const text of rest) if (isNote(text)) readNote(state, text);
  indexOrders(state);
  for (const trade of state.trades.remembered()) {
    if (state.trades.stage(trade) === CONFIRMED) noteConfirmed(state, trade);
  }
  for (const market of [...state.markets.records()]) if (market.closeReason !== undefined) noteClosed(state, market);
  noteClosings(state);
}

/** Returns the numbers of the markets that are not retired. */
function readRetired(state: EngineState, memory: readonly Uint8Array[], categories: readonly string[]): number[] {
  const [entryBytes, idBytes, ...parts] = memory;
  if (entryBytes === undefined || idBytes === undefined) throw new Error('the memory is not whole');
  const { placesSeed } = state.settings;
  const retired = RetiredMarkets.ofImage({ categories, memory: parts });
  const ids = MarketIds.ofImage(toWords(idBytes), placesSeed);
  const entries = toWords(entryBytes);
  state.markets = new MarketTable(placesSeed, { retired, ids });
  state.markets.restoreRetired(entries);
  return [...entries.keys()].filter((number) => entries[number] === NONE);
}

/** The texts list the markets in the order of their numbers. */
function readRecords(state: EngineState, texts: readonly string[], numbers: readonly number[]): void {
  let read = 0;
  readLines(state, texts, {
    add: (facts) => {
      const market = state.markets.restoreRecord(numbers[read++]!, facts);
      state.liveMarkets.add(market);
      return market;
    },
    end: () => undefined,
  });
  if (read !== numbers.length) throw new Error('the memory has other markets than the texts');
}

/** Whether the text is about one order or trade; any other text is a line of a checkpoint. */
function isNote(text: string): boolean {
  return text.startsWith('["extras"') || text.startsWith('["settlement"');
}

const TIES: MarketTies['length'] = 6;
/** Number of memory parts before those of retired markets. */
const SLAB_PARTS = 8;

/** Returns the links of each market. */
function readSlabs(state: EngineState, memory: readonly Uint8Array[]): MarketTies[] {
  const [ties, signed, ...slabs] = memory;
  const [orders, fills, accounts, freeAccounts, trades, freeTrades] = slabs.map(toWords);
  const isWhole = ties && signed && orders && fills && accounts && freeAccounts && trades && freeTrades;
  if (!isWhole) throw new Error('the memory is not whole');
  const { placesSeed } = state.settings;
  const markets = toRows(toWords(ties));
  state.useOrders(OrderSlab.ofImage(orders, fills));
  state.accounts = AccountSlab.ofImage(accounts, freeAccounts, placesSeed);
  state.signed = SignedOrders.ofImage(signed, placesSeed, (order) => state.orders.isPresent(order));
  const marketOf = (maker: number) => state.accounts.market(state.orders.account(maker));
  state.trades = TradeSlab.ofImage(trades, freeTrades, placesSeed, marketOf);
  return markets;
}

/** Copies the bytes, which may begin anywhere in a file, into aligned words. */
function toWords(bytes: Uint8Array): Int32Array<ArrayBuffer> {
  return new Int32Array(new Uint8Array(bytes).buffer);
}

function toRows(words: Int32Array): MarketTies[] {
  return Array.from({ length: words.length / TIES }, (_, row) => {
    const [openCount, firstAccount, accountCount, firstTrade, lastTrade, rememberedTrades] = words.subarray(row * TIES);
    return [openCount!, firstAccount!, accountCount!, firstTrade!, lastTrade!, rememberedTrades!];
  });
}

function tieMarket(state: EngineState, number: number, ties: MarketTies): void {
  const market = state.markets.at(number);
  const [openCount, firstAccount, accountCount, firstTrade, lastTrade, rememberedTrades] = ties;
  Object.assign(market, { openCount, firstAccount, accountCount, firstTrade, lastTrade, rememberedTrades });
  state.restingCount += openCount;
}

function readNote(state: EngineState, text: string): void {
  const note: SettlementNote | ExtrasNote = JSON.parse(text);
  if (note[0] === 'settlement') {
    state.trades.settlements[note[1]] = note[2];
    return;
  }
  const [, order, makerFeeRecipient, signature, permit] = note;
  const given = permit === null ? undefined : fromPermitFields(permit);
  state.signed.restoreExtras(order, { makerFeeRecipient, signature, permit: given });
}

function indexOrders(state: EngineState): void {
  const { orders, signed, orderLapses } = state;
  state.nonces.reserve(signed.used);
  for (let order = 0; order < signed.used; order++) {
    if (!orders.isPresent(order)) continue;
    state.rememberedCount++;
    state.holdNonceIfNewest(order);
    orderLapses.push(orders.lapsesMs(order), order, orders.stamp(order));
    const isFirstOfLevel = orders.isOnBook(order) && orders.words[order * ORDER_WORDS + PREVIOUS] === NONE;
    if (isFirstOfLevel) adoptLevel(state, order);
  }
}

/** Restores a level; its queue is already linked in memory. */
function adoptLevel(state: EngineState, first: number): void {
  const { orders } = state;
  state.book(state.marketOf(first), orders.outcome(first)).adopt(first, orders.side(first), orders.price(first));
}
