// Applies events of a journal directly from their bytes: accepted, traded and cancelled orders, which are nearly all of
// a history.
import {
  CANCEL_REASONS,
  type CancelReason,
  FEE_FLAG,
  type FillFees,
  HOT_TAGS,
  MAX_PRICE,
  MAX_SIZE,
  MIN_PRICE,
  type Outcome,
  oppositeSide,
  REBATE_FLAG,
  type Side,
} from '@presage/protocol/engine-types';
import * as apply from '../apply.ts';
import { NONE } from '../book/book.ts';
import type { EngineState } from '../engine-state.ts';
import { type MarketRecord, toTradeId } from '../records.ts';
import { ADDRESS_BYTES, HASH_WORDS } from '../slabs/order-record.ts';
import { assertFees } from '../trade-fees.ts';
import { BytesReader } from './bytes-reader.ts';

const ACCEPTED = HOT_TAGS['order-accepted'];
const MATCHED = HOT_TAGS['trade-matched'];
const CANCELLED = HOT_TAGS['order-cancelled'];
/** Flags of an accepted order with a fee recipient or a permit, which is left to the record decoder. */
const RARE_PARTS = 4 | 16;

/** 32 bytes that are compared as words. */
class HashWords {
  readonly words = new Int32Array(HASH_WORDS);

  read(from: BytesReader): void {
    from.copyWords(this.words, 0, HASH_WORDS);
  }
}

/** Shared by all records, which are read one at a time. */
const reader = new BytesReader();
const [marketId, first, second] = [new HashWords(), new HashWords(), new HashWords()];

/** Returns false for any other record, without a change. */
export function evolveBytes(state: EngineState, bytes: Uint8Array, seq: number, start: number, end: number): boolean {
  const tag = bytes[start];
  if (tag !== ACCEPTED && tag !== MATCHED && tag !== CANCELLED) return false;
  reader.begin(bytes, start, end);
  marketId.read(reader);
  const step = reader.integer(1);
  const timeMs = reader.integer(0);
  const flags = reader.byte();
  if (tag === ACCEPTED && (flags & RARE_PARTS) !== 0) return false;
  const number = state.markets.ids.find(marketId.words, 0);
  if (number === NONE) throw new Error('event of a market that was never listed');
  const market = state.markets.at(number);
  const enter = { market, step, timeMs, seq };
  if (tag === ACCEPTED) evolveAccepted(state, flags, enter);
  else if (tag === MATCHED) evolveMatched(state, flags, enter);
  else evolveCancelled(state, enter);
  apply.settlePending(state);
  return true;
}

interface Head {
  readonly market: MarketRecord;
  readonly step: number;
  readonly timeMs: number;
  readonly seq: number;
}

/** Called once the whole record has been read. */
function enterStep(state: EngineState, { market, step, timeMs, seq }: Head): void {
  reader.end();
  state.seq = seq;
  apply.enterStep(state, market, step, timeMs);
}

function evolveAccepted(state: EngineState, flags: number, head: Head): void {
  state.packed.readAccepted(0, reader, flags);
  enterStep(state, head);
  apply.acceptOrder(state, head.market, state.packed, 0);
}

function evolveMatched(state: EngineState, flags: number, head: Head): void {
  const { market } = head;
  const outcome: Outcome = (flags & 1) === 0 ? 0 : 1;
  const takerSide: Side = (flags & 2) === 0 ? 0 : 1;
  if (!reader.isText(toTradeId(market, market.tradeCount + 1)))
    throw new Error(`a trade of ${market.id} is out of turn`);
  const price = reader.integer(MIN_PRICE, MAX_PRICE);
  const size = reader.integer(1, MAX_SIZE);
  first.read(reader);
  second.read(reader);
  reader.skip(2 * ADDRESS_BYTES);
  const isCharged = (flags & (FEE_FLAG | REBATE_FLAG)) !== 0;
  if (isCharged || market.facts.feeRateBps !== undefined) assertFees(market, price, size, readFees(flags));
  enterStep(state, head);
  // The maker is nearly always first in the book, the taker the order just accepted.
  const best = market.books[outcome]?.first(oppositeSide(takerSide)) ?? NONE;
  apply.matchTrade(state, market, findOrder(state, best, first), findOrder(state, state.newest, second), size);
}

function readFees(flags: number): FillFees {
  const fees: { -readonly [K in keyof FillFees]: FillFees[K] } = {};
  if ((flags & FEE_FLAG) !== 0) fees.fee = reader.integer(1);
  if ((flags & REBATE_FLAG) !== 0) fees.makerRebate = reader.integer(1);
  return fees;
}

function evolveCancelled(state: EngineState, head: Head): void {
  first.read(reader);
  reader.skip(ADDRESS_BYTES);
  reader.integer(MIN_PRICE, MAX_PRICE);
  const remaining = reader.integer(0);
  const reason = readReason();
  enterStep(state, head);
  apply.cancelOrder(state, findOrder(state, NONE, first), remaining, reason);
}

function findOrder(state: EngineState, likely: number, { words }: HashWords): number {
  if (likely !== NONE && state.signed.hasHash(likely, words, 0)) return likely;
  const order = state.findOrderAt(words, 0);
  if (order === NONE) throw new Error('event of an order that is not remembered');
  return order;
}

function readReason(): CancelReason {
  const reason = CANCEL_REASONS.find((each) => reader.isText(each));
  if (reason === undefined) throw new RangeError('an order was cancelled for no known reason');
  return reason;
}
