// Retired markets as bytes: their lines of a checkpoint, and the few fields that lists and lookups need of all of them.
import {
  MARKET_KINDS,
  type MarketKind,
  type MarketResolution,
  RESOLUTION_STATUSES,
  type ResolutionStatus,
  standingAssertions,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import { type MarketLine, type ResolutionLine, toMarketLine, toResolutionLine } from './market-lines.ts';
import type { MarketRecord } from './records.ts';
import { grownFloat64, grownInt32 } from './slabs/grown.ts';
import { SimilarTexts } from './slabs/similar-texts.ts';

const FIRST_CAPACITY = 16;
/** Indexes of an entry's numbers. */
const CHAIN = 0;
const CREATED = 1;
const UPDATED = 2;
const NEWEST_BLOCK = 3;
const STEP = 4;
export const ENTRY_NUMBERS = 5;
/** Indexes of an entry's words; the hashes of its names follow. */
const KIND = 0;
const STATUS = 1;
const CATEGORY = 2;
const FIRST_NAME = 3;
export const NAMES = 4;
/** Stands for the event of a market without one; no name has this hash. */
export const NO_NAME = 0;
/** Entries shared by engines of one journal, which are some frames apart. */
const MOST_NEWEST = 10_000;
export const ENTRY_WORDS = FIRST_NAME + NAMES;

/** A record with a final resolution. */
export type DecidedMarket = MarketRecord & { readonly resolution: MarketResolution };

/** Fields of a retired market that are known without unpacking it. */
export interface RetiredFields {
  readonly chainId: number;
  readonly kind: MarketKind;
  readonly category: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly updatedMs: number;
  readonly status: ResolutionStatus;
  /** Highest block number in its resolution. */
  readonly newestBlock: number;
}

/** Every given field must match. */
export interface RetiredFilter {
  readonly chainId?: number;
  readonly kind?: MarketKind;
  /** Only markets with a higher block number in their resolution. */
  readonly aboveBlock?: number;
}

export interface RetiredTotal {
  readonly chainId: number;
  readonly count: number;
  /** Time of the newest of their last steps. */
  readonly updatedMs: number;
}

export interface RetiredImage {
  readonly categories: readonly string[];
  readonly memory: readonly Uint8Array[];
}

/**
 * Entries are never changed or removed, so that copies of an engine share them: an entry written by one is found by the
 * others.
 */
export class RetiredMarkets {
  #texts = new SimilarTexts();
  #numbers = new Float64Array(ENTRY_NUMBERS * FIRST_CAPACITY);
  #words = new Int32Array(ENTRY_WORDS * FIRST_CAPACITY);
  readonly #categories: string[] = [];
  /** The newest entries by market number: another engine may add the same soon. */
  readonly #newest = new Map<number, number>();

  get count(): number {
    return this.#texts.count;
  }

  /** Returns the entry of the market, reusing that of another engine if it is equal. */
  add(market: DecidedMarket): number {
    const text = `${JSON.stringify(toMarketLine(market))}\n${JSON.stringify(toResolutionLine(market.resolution))}`;
    const known = this.#newest.get(market.number);
    if (known !== undefined && this.#texts.read(known) === text) return known;
    const entry = this.#texts.add(text);
    this.#noteNewest(market.number, entry);
    this.#reserve(entry);
    this.#writeFields(entry, market);
    return entry;
  }

  /** Lines of a checkpoint, without line feeds. */
  lines(entry: number): string[] {
    return this.#texts.read(entry).split('\n');
  }

  read(entry: number): [MarketLine, ResolutionLine] {
    const [market, resolution] = this.lines(entry);
    // Written above, or part of an image that is as trustworthy as its checkpoint.
    return [JSON.parse(market!), JSON.parse(resolution!)];
  }

  fields(entry: number): RetiredFields {
    const [numbers, words] = [entry * ENTRY_NUMBERS, entry * ENTRY_WORDS];
    return {
      chainId: this.#numbers[numbers + CHAIN]!,
      kind: MARKET_KINDS[this.#words[words + KIND]!]!,
      category: this.#categories[this.#words[words + CATEGORY]!]!,
      createdAt: this.#numbers[numbers + CREATED]!,
      updatedMs: this.#numbers[numbers + UPDATED]!,
      status: RESOLUTION_STATUSES[this.#words[words + STATUS]!]!,
      newestBlock: this.#numbers[numbers + NEWEST_BLOCK]!,
    };
  }

  isLike(entry: number, { chainId, kind, aboveBlock }: RetiredFilter): boolean {
    const [numbers, words] = [entry * ENTRY_NUMBERS, entry * ENTRY_WORDS];
    if (chainId !== undefined && this.#numbers[numbers + CHAIN] !== chainId) return false;
    if (aboveBlock !== undefined && this.#numbers[numbers + NEWEST_BLOCK]! <= aboveBlock) return false;
    return kind === undefined || MARKET_KINDS[this.#words[words + KIND]!] === kind;
  }

  /** Totals of the given entries by chain; NONE entries are skipped. */
  totals(entries: Int32Array): RetiredTotal[] {
    const byChain = new Map<number, { count: number; updatedMs: number }>();
    for (const entry of entries) {
      if (entry === NONE) continue;
      const chainId = this.#numbers[entry * ENTRY_NUMBERS + CHAIN]!;
      const total = byChain.get(chainId) ?? { count: 0, updatedMs: 0 };
      byChain.set(chainId, total);
      total.count++;
      total.updatedMs = Math.max(total.updatedMs, this.#numbers[entry * ENTRY_NUMBERS + UPDATED]!);
    }
    return Array.from(byChain, ([chainId, total]) => ({ chainId, ...total }));
  }

  /** Last step of the market when it was added. */
  step(entry: number): number {
    return this.#numbers[entry * ENTRY_NUMBERS + STEP]!;
  }

  /** Hash of one of up to four further names of the market, or NO_NAME: see `namesOf`. */
  name(entry: number, index: number): number {
    return this.#words[entry * ENTRY_WORDS + FIRST_NAME + index]!;
  }

  /** Views of the memory of the first entries, which never changes. */
  image(count: number): RetiredImage {
    const { bytes, ends, references } = this.#texts.image(count);
    const fields = [this.#numbers.subarray(0, count * ENTRY_NUMBERS), this.#words.subarray(0, count * ENTRY_WORDS)];
    const views = [bytes, ends, references, ...fields];
    const memory = views.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
    return { categories: this.#categories, memory };
  }

  static ofImage({ categories, memory }: RetiredImage): RetiredMarkets {
    const [bytes, ends, references, numbers, words] = memory.map((part) => new Uint8Array(part));
    if (!bytes || !ends || !references || !numbers || !words)
      throw new Error('the memory of retired markets is not whole');
    const retired = new RetiredMarkets();
    retired.#texts = SimilarTexts.ofImage({
      bytes,
      ends: new Float64Array(ends.buffer),
      references: new Int32Array(references.buffer),
    });
    retired.#numbers = new Float64Array(numbers.buffer);
    retired.#words = new Int32Array(words.buffer);
    retired.#categories.push(...categories);
    return retired;
  }

  #noteNewest(market: number, entry: number): void {
    const [oldest] = this.#newest.keys();
    if (oldest !== undefined && this.#newest.size >= MOST_NEWEST) this.#newest.delete(oldest);
    this.#newest.delete(market);
    this.#newest.set(market, entry);
  }

  #reserve(entry: number): void {
    if (entry * ENTRY_NUMBERS < this.#numbers.length) return;
    const capacity = Math.max(FIRST_CAPACITY, 2 * entry);
    this.#numbers = grownFloat64(this.#numbers, capacity * ENTRY_NUMBERS);
    this.#words = grownInt32(this.#words, capacity * ENTRY_WORDS);
  }

  #writeFields(entry: number, { facts, step, updatedMs, resolution }: DecidedMarket): void {
    const [numbers, words] = [entry * ENTRY_NUMBERS, entry * ENTRY_WORDS];
    this.#numbers[numbers + CHAIN] = facts.chainId;
    this.#numbers[numbers + CREATED] = facts.createdAt;
    this.#numbers[numbers + UPDATED] = updatedMs;
    this.#numbers[numbers + NEWEST_BLOCK] = newestBlockOf(resolution);
    this.#numbers[numbers + STEP] = step;
    this.#words[words + KIND] = MARKET_KINDS.indexOf(facts.kind);
    this.#words[words + STATUS] = RESOLUTION_STATUSES.indexOf(resolution.status);
    this.#words[words + CATEGORY] = this.#categoryOf(facts.category);
    this.#words.set(namesOf(facts).map(hashOf), words + FIRST_NAME);
  }

  #categoryOf(category: string): number {
    const known = this.#categories.indexOf(category);
    return known < 0 ? this.#categories.push(category) - 1 : known;
  }
}

/** Names of a market beside its id: its contract, its two tokens, and its event if it has one. */
export function namesOf({ contractAddress, yesTokenId, noTokenId, event }: MarketRecord['facts']): string[] {
  const own = [contractAddress, yesTokenId, noTokenId];
  return event === undefined ? own : [...own, event.id];
}

/** FNV-1a over the characters; never 0. */
export function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash | 0 || 1;
}

function newestBlockOf(resolution: MarketResolution): number {
  const assertions = [...resolution.history, ...standingAssertions(resolution)];
  const points = assertions.flatMap(({ proposedAt, disputedAt, settledAt }) => [proposedAt, disputedAt, settledAt]);
  return [resolution.resolvedAt, ...points].reduce((newest, point) => Math.max(newest, point?.blockNumber ?? 0), 0);
}
