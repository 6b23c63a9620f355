// Trades: remembered ones, and those kept only for the answer to an order.
import { TRADE_STAGES, type TradeSettlement, type TradeStage } from '@presage/protocol/engine-types';
import { NONE } from '../book/book.ts';
import { grownInt32, toBytes } from './grown.ts';
import { HandleTable } from './handle-table.ts';
import { ownedTagOf } from './tags.ts';

const FIRST_CAPACITY = 32;
export const TRADE_WORDS = 16;
const TRADE_NUMBERS = 8;
const MAKER = 0;
const TAKER = 1;
/** The taker's previous trade in its first step. */
const FORMER = 2;
const STATE = 3;
const PRICE = 4;
/** Neighbours among the remembered trades of the market. */
const NEXT = 5;
const PREVIOUS = 6;
/** Counter of the trade in its market. */
const COUNT = 7;
const SIZE = 4;
const TIME = 5;
const MOVED = 6;
const ID = 7;

const STAGE_MASK = 7;
const REMEMBERED = 8;
/** Flag: the trade is part of the answer to its taker. */
const ANSWERED = 16;

export const CONFIRMED = TRADE_STAGES.indexOf('confirmed');

export class TradeSlab {
  words = new Int32Array(FIRST_CAPACITY * TRADE_WORDS);
  numbers = new Float64Array(this.words.buffer);
  settlements: (TradeSettlement | undefined)[] = [];
  #table = new HandleTable();
  #used = 0;
  #free: number[] = [];
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Begins a trade that is neither remembered nor part of an answer yet. */
  begin(id: number, count: number, price: number, size: number): number {
    const trade = this.#free.pop() ?? this.#used++;
    if (trade * TRADE_WORDS >= this.words.length) this.#use(grownInt32(this.words, this.words.length * 2));
    const at = trade * TRADE_WORDS;
    this.words[at + STATE] = 0;
    this.words[at + PRICE] = price;
    this.words[at + FORMER] = NONE;
    this.words[at + COUNT] = count;
    this.numbers[trade * TRADE_NUMBERS + SIZE] = size;
    this.numbers[trade * TRADE_NUMBERS + ID] = id;
    return trade;
  }

  /** Makes it the last trade in the answer to its taker, after `former`. */
  answer(trade: number, former: number): void {
    this.words[trade * TRADE_WORDS + FORMER] = former;
    this.words[trade * TRADE_WORDS + STATE]! |= ANSWERED;
  }

  /** Makes it findable by market and counter, and links it after `last`, the newest of the market. */
  remember(trade: number, market: number, maker: number, taker: number, last: number): void {
    const words = this.words;
    const at = trade * TRADE_WORDS;
    words[at + MAKER] = maker;
    words[at + TAKER] = taker;
    words[at + NEXT] = NONE;
    words[at + PREVIOUS] = last;
    if (last !== NONE) words[last * TRADE_WORDS + NEXT] = trade;
    words[at + STATE]! |= REMEMBERED;
    this.#table.add(this.#tagOf(market, this.count(trade)), trade);
  }

  /** Removes it from the remembered trades; an answer may keep it. */
  forget(trade: number, market: number): void {
    const words = this.words;
    const at = trade * TRADE_WORDS;
    const next = words[at + NEXT]!;
    const previous = words[at + PREVIOUS]!;
    if (next !== NONE) words[next * TRADE_WORDS + PREVIOUS] = previous;
    if (previous !== NONE) words[previous * TRADE_WORDS + NEXT] = next;
    this.#table.delete(this.#tagOf(market, this.count(trade)), trade);
    this.settlements[trade] = undefined;
    words[at + STATE]! &= ~REMEMBERED;
    if ((words[at + STATE]! & ANSWERED) === 0) this.#free.push(trade);
  }

  /** Frees the answer that ends with this trade, none of whose trades is remembered any more. */
  dropAnswer(last: number): void {
    for (let trade = last; trade !== NONE; trade = this.former(trade)) this.#free.push(trade);
  }

  /** A remembered trade; NONE if there is none. */
  find(market: number, count: number, marketOf: (trade: number) => number): number {
    const tag = this.#tagOf(market, count);
    for (let place = this.#table.first(tag); place !== NONE; place = this.#table.next(place, tag)) {
      const trade = this.#table.handle(place);
      if (this.count(trade) === count && marketOf(trade) === market) return trade;
    }
    return NONE;
  }

  get size(): number {
    return this.#table.size;
  }

  isRemembered(trade: number): boolean {
    return (this.words[trade * TRADE_WORDS + STATE]! & REMEMBERED) !== 0;
  }

  /** Distinguishes consecutive trades with the same handle. */
  stamp(trade: number): number {
    return this.id(trade) | 0;
  }

  maker(trade: number): number {
    return this.words[trade * TRADE_WORDS + MAKER]!;
  }

  taker(trade: number): number {
    return this.words[trade * TRADE_WORDS + TAKER]!;
  }

  former(trade: number): number {
    return this.words[trade * TRADE_WORDS + FORMER]!;
  }

  next(trade: number): number {
    return this.words[trade * TRADE_WORDS + NEXT]!;
  }

  previous(trade: number): number {
    return this.words[trade * TRADE_WORDS + PREVIOUS]!;
  }

  price(trade: number): number {
    return this.words[trade * TRADE_WORDS + PRICE]!;
  }

  count(trade: number): number {
    return this.words[trade * TRADE_WORDS + COUNT]! >>> 0;
  }

  fillSize(trade: number): number {
    return this.numbers[trade * TRADE_NUMBERS + SIZE]!;
  }

  id(trade: number): number {
    return this.numbers[trade * TRADE_NUMBERS + ID]!;
  }

  timeMs(trade: number): number {
    return this.numbers[trade * TRADE_NUMBERS + TIME]!;
  }

  setTime(trade: number, timeMs: number): void {
    this.numbers[trade * TRADE_NUMBERS + TIME] = timeMs;
  }

  /** Time of the last move. */
  movedMs(trade: number): number {
    return this.numbers[trade * TRADE_NUMBERS + MOVED]!;
  }

  stage(trade: number): number {
    return this.words[trade * TRADE_WORDS + STATE]! & STAGE_MASK;
  }

  move(trade: number, stage: number, timeMs: number): void {
    const at = trade * TRADE_WORDS + STATE;
    this.words[at] = (this.words[at]! & ~STAGE_MASK) | stage;
    this.numbers[trade * TRADE_NUMBERS + MOVED] = timeMs;
  }

  copy(): TradeSlab {
    const copy = new TradeSlab(this.#seed);
    copy.#use(this.words.slice());
    copy.settlements = this.settlements.slice();
    copy.#table = this.#table.copy();
    copy.#used = this.#used;
    copy.#free = this.#free.slice();
    return copy;
  }

  /** The memory of all trades, and the free handles. Settlements are not part of it. */
  image(): Uint8Array[] {
    const free = Int32Array.from(this.#free);
    return [toBytes(this.words, this.#used * TRADE_WORDS), toBytes(free, free.length)];
  }

  /** Restores the slab from an image; `marketOf` returns the market of a remembered trade. */
  static ofImage(
    words: Int32Array<ArrayBuffer>,
    free: Int32Array,
    seed: number,
    marketOf: (maker: number) => number,
  ): TradeSlab {
    const slab = new TradeSlab(seed);
    slab.#used = words.length / TRADE_WORDS;
    slab.#use(grownInt32(words, Math.max(words.length, slab.words.length)));
    slab.#free = [...free];
    for (const trade of slab.remembered()) {
      slab.#table.add(slab.#tagOf(marketOf(slab.maker(trade)), slab.count(trade)), trade);
    }
    return slab;
  }

  *remembered(): Generator<number> {
    for (let trade = 0; trade < this.#used; trade++) if (this.isRemembered(trade)) yield trade;
  }

  #tagOf(market: number, count: number): number {
    return ownedTagOf(market, count, 0, this.#seed);
  }

  #use(words: Int32Array<ArrayBuffer>): void {
    this.words = words;
    this.numbers = new Float64Array(words.buffer);
  }
}

export function toStage(stage: number): TradeStage {
  return TRADE_STAGES[stage]!;
}
