// All markets of an engine: those that may change as records, retired ones as bytes.
import { isDecided, type MarketFacts, type MarketId } from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import { RecentMap } from './recent-map.ts';
import { createMarket, type MarketRecord, type MarketView, toMarketView } from './records.ts';
import { type DecidedMarket, hashOf, NAMES, NO_NAME, namesOf, RetiredMarkets } from './retired-markets.ts';
import { capacityFor, grownInt32 } from './slabs/grown.ts';
import { HandleTable } from './slabs/handle-table.ts';
import { HexWords } from './slabs/hex-words.ts';
import { MarketIds } from './slabs/market-ids.ts';
import { HASH_BYTES } from './slabs/order-record.ts';
import { tagOf } from './slabs/tags.ts';

const FIRST_CAPACITY = 16;
/** Number of cached views: as many as a list shows, since the same retired markets are read repeatedly. */
const MOST_VIEWS = 256;

/** A retired market behaves the same unpacked or not: no decision, event or answer depends on it. */
export class MarketTable {
  /** Shared by the copies of an engine. */
  readonly retired: RetiredMarkets;
  readonly ids: MarketIds;
  readonly #seed: number;
  readonly #records = new RecentMap<MarketId, MarketRecord>();
  /** Records by number; undefined for a market that is only retired. */
  readonly #byNumber: (MarketRecord | undefined)[] = [];
  /**
   * Entry of a retired market by its number; NONE for others. For an unpacked record it stays valid until the record
   * changes.
   */
  #entries = new Int32Array(FIRST_CAPACITY).fill(NONE);
  /** Markets by contract, token and event. */
  #names = new HandleTable();
  /** Records that may be retired after the current event is applied. */
  readonly #over = new Set<MarketRecord>();
  readonly #views = new Map<number, MarketView>();
  readonly #id = new HexWords(HASH_BYTES);

  constructor(seed: number, { retired = new RetiredMarkets(), ids = new MarketIds(seed) } = {}) {
    this.#seed = seed;
    this.retired = retired;
    this.ids = ids;
  }

  /** The same markets, with shared retired ones; `copyRecord` adds all others. */
  copy(copyRecord: (to: MarketTable, record: MarketRecord) => void): MarketTable {
    const copy = new MarketTable(this.#seed, { retired: this.retired, ids: this.ids.copy() });
    copy.#byNumber.length = this.#byNumber.length;
    copy.#entries = this.#entries.slice();
    copy.#names = this.#names.copy();
    for (const record of this.records()) copyRecord(copy, record);
    for (const record of this.#over) copy.#over.add(copy.#byNumber[record.number]!);
    return copy;
  }

  /** Number of markets ever listed. */
  get size(): number {
    return this.#byNumber.length;
  }

  /** Number of markets that are not retired. */
  get activeCount(): number {
    return this.#records.size;
  }

  /** A copy of the entries of retired markets, by number. */
  takeEntries(): Int32Array<ArrayBuffer> {
    const entries = this.#entries.slice(0, this.size);
    for (const { number } of this.#records.values()) entries[number] = NONE;
    return entries;
  }

  /** The entry of a currently retired market; otherwise NONE. */
  entryOf(id: MarketId): number {
    const number = this.#numberOf(id);
    return number === NONE || this.#byNumber[number] !== undefined ? NONE : this.#entries[number]!;
  }

  has(id: MarketId): boolean {
    return this.#numberOf(id) !== NONE;
  }

  /** The record of a market, to decide about or to change; unpacks a retired one. */
  get(id: MarketId): MarketRecord | undefined {
    const known = this.#records.get(id);
    if (known !== undefined) return known;
    const number = this.#numberOf(id);
    return number === NONE ? undefined : this.#unpack(number);
  }

  /** Like `get`, by number. */
  at(number: number): MarketRecord {
    return this.#byNumber[number] ?? this.#unpack(number);
  }

  /** Undefined also for a retired market, which has no orders, trades or books. */
  active(id: MarketId): MarketRecord | undefined {
    return this.#records.get(id);
  }

  activeAt(number: number): MarketRecord | undefined {
    return this.#byNumber[number];
  }

  /** Markets that are not retired, in the order of their numbers. */
  records(): MarketRecord[] {
    return [...this.#records.values()].sort((a, b) => a.number - b.number);
  }

  view(id: MarketId): MarketView | undefined {
    const known = this.#records.get(id);
    if (known !== undefined) return toMarketView(known);
    const number = this.#numberOf(id);
    return number === NONE ? undefined : this.viewAt(number);
  }

  viewAt(number: number): MarketView {
    const record = this.#byNumber[number];
    if (record !== undefined) return toMarketView(record);
    const known = this.#views.get(number);
    if (known !== undefined) return known;
    const [oldest] = this.#views.keys();
    if (oldest !== undefined && this.#views.size >= MOST_VIEWS) this.#views.delete(oldest);
    const view = toMarketView(this.#read(number));
    this.#views.set(number, view);
    return view;
  }

  /** Views of all markets whose contract, token or event has this name. */
  named(name: string): MarketView[] {
    const tag = tagOf(hashOf(name), this.#seed);
    const found: MarketView[] = [];
    for (let place = this.#names.first(tag); place !== NONE; place = this.#names.next(place, tag)) {
      const view = this.viewAt(this.#names.handle(place));
      if (namesOf(view.facts).includes(name)) found.push(view);
    }
    return found;
  }

  add(facts: MarketFacts): MarketRecord {
    if (this.has(facts.marketId)) throw new Error(`market ${facts.marketId} is listed twice`);
    const number = this.size;
    this.ids.add(number, facts.marketId);
    for (const name of namesOf(facts)) this.#names.add(tagOf(hashOf(name), this.#seed), number);
    this.#byNumber.push(undefined);
    if (number >= this.#entries.length) {
      const before = this.#entries.length;
      this.#entries = grownInt32(this.#entries, capacityFor(number, before)).fill(NONE, before);
    }
    return this.put(createMarket(number, facts));
  }

  /** Adds a record of a market whose number and id are known here. */
  put(record: MarketRecord): MarketRecord {
    this.#byNumber[record.number] = record;
    this.#records.set(record.id, record);
    this.#views.delete(record.number);
    return record;
  }

  /** Must be called when a market was closed, decided, or lost its last order: the next `retireOver` retires it. */
  noteOver(market: MarketRecord): void {
    if (isOver(market)) this.#over.add(market);
  }

  /** Must be called between events, while no caller holds a record. */
  retireOver(): void {
    if (this.#over.size === 0) return;
    for (const market of this.#over) if (isOver(market)) this.#retire(market);
    this.#over.clear();
  }

  /** Restores the entries from the result of `takeEntries`; the records are added later. */
  restoreRetired(entries: Int32Array): void {
    this.#byNumber.length = entries.length;
    this.#byNumber.fill(undefined);
    this.#entries = new Int32Array(Math.max(entries.length, FIRST_CAPACITY)).fill(NONE);
    this.#entries.set(entries);
    this.#names.reserve(NAMES * entries.length);
    for (let number = 0; number < entries.length; number++) {
      if (entries[number] !== NONE) this.#addNames(number, entries[number]!);
    }
  }

  /** Adds a record of an image, after `restoreRetired`. */
  restoreRecord(number: number, facts: MarketFacts): MarketRecord {
    for (const name of namesOf(facts)) this.#names.add(tagOf(hashOf(name), this.#seed), number);
    return this.put(createMarket(number, facts));
  }

  #addNames(number: number, entry: number): void {
    for (let name = 0; name < NAMES; name++) {
      const hash = this.retired.name(entry, name);
      if (hash !== NO_NAME) this.#names.add(tagOf(hash, this.#seed), number);
    }
  }

  #retire(market: DecidedMarket): void {
    const { number, id } = market;
    const known = this.#entries[number]!;
    const isUnchanged = known !== NONE && this.retired.step(known) === market.step;
    if (!isUnchanged) this.#entries[number] = this.retired.add(market);
    this.#byNumber[number] = undefined;
    this.#records.delete(id);
  }

  #unpack(number: number): MarketRecord {
    const market = this.put(this.#read(number));
    this.#over.add(market);
    return market;
  }

  #read(number: number): MarketRecord {
    const [[, closeReason, step, tradeCount, updatedMs, facts], [, resolution]] = this.retired.read(
      this.#entries[number]!,
    );
    const market = createMarket(number, facts);
    return Object.assign(market, { closeReason: closeReason ?? undefined, step, tradeCount, updatedMs, resolution });
  }

  #numberOf(id: MarketId): number {
    return this.#id.read(id) ? this.ids.find(this.#id.words, 0) : NONE;
  }
}

/** Whether the market is closed and decided, without orders, which a remembered trade would hold. */
function isOver(market: MarketRecord): market is DecidedMarket {
  return market.closeReason !== undefined && market.accountCount === 0 && isDecided(market.resolution);
}
