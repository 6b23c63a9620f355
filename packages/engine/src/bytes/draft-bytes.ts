// Writes the events of a draft as journal bytes: accepted, traded and cancelled orders. All others are left to the record encoder.
import {
  CANCEL_REASONS,
  FEE_FLAG,
  HOT_TAGS,
  ORDER_TERM_NAMES,
  ORDER_TERMS,
  type OrderTerms,
  REBATE_FLAG,
} from '@presage/protocol/engine-types';
import { NONE } from '../book/book.ts';
import { ACCEPT, CANCEL, CANCEL_INCOMING, type Draft, STEP, TRADE } from '../draft.ts';
import type { EngineState } from '../engine-state.ts';
import type { MarketRecord } from '../records.ts';
import {
  ADDRESS_WORDS,
  EXPIRATION_WORD,
  HASH_WORDS,
  NONCE_WORD,
  SIGNATURE_AT,
  SIGNATURE_WORD,
  SIGNATURE_WORDS,
  TRADER_WORD,
} from '../slabs/order-record.ts';
import { feesOf } from '../trade-fees.ts';
import { countDigits, type EventBytes } from './event-bytes.ts';

/** Must be called before the draft is applied. A refusal has no events. */
export function writeDraft(state: EngineState, draft: Draft, events: EventBytes): void {
  events.clear();
  if (draft.answer !== undefined) return;
  let market: MarketRecord | undefined;
  let tradeCount = 0;
  for (let at = 0; at < draft.count; at++) {
    const kind = draft.kinds[at];
    if (kind === STEP) {
      market = state.markets.at(draft.handles[at]!);
      tradeCount = market.tradeCount;
      continue;
    }
    if (kind === TRADE) writeMatched(state, draft, events, market!, at, ++tradeCount);
    else if (kind === CANCEL || kind === CANCEL_INCOMING) writeCancelled(state, draft, events, market!, at);
    else if (kind === ACCEPT) writeAccepted(state, draft, events, market!);
    events.end();
  }
}

function writeHead(state: EngineState, draft: Draft, events: EventBytes, market: MarketRecord): void {
  events.copyWords(state.markets.ids.words, market.number * HASH_WORDS, HASH_WORDS);
  events.integer(market.step + 1);
  events.integer(draft.timeMs);
}

const HAS_TERMS = 8;

/** Does not write an order with extras. */
function writeAccepted(state: EngineState, draft: Draft, events: EventBytes, market: MarketRecord): void {
  const packed = draft.packed!;
  const at = draft.packedAt;
  if (packed.extras(at) !== undefined) return;
  const { bytes, words } = packed;
  const word = packed.hashWord(at);
  const code = packed.termsCode(at);
  events.begin(HOT_TAGS['order-accepted']);
  writeHead(state, draft, events, market);
  events.byte(draft.side | (draft.outcome << 1) | (code === 0 ? 0 : HAS_TERMS));
  events.copyWords(words, word, HASH_WORDS);
  events.copyWords(words, word + TRADER_WORD, ADDRESS_WORDS);
  events.integer(draft.price);
  events.integer(packed.size(at));
  events.pair(words[word + NONCE_WORD]!, words[word + NONCE_WORD + 1]!);
  events.pair(words[word + EXPIRATION_WORD]!, words[word + EXPIRATION_WORD + 1]!);
  events.copyWords(words, word + SIGNATURE_WORD, SIGNATURE_WORDS);
  events.byte(bytes[word * 4 + SIGNATURE_AT + 4 * SIGNATURE_WORDS]!);
  if (code !== 0) writeTerms(events, packed.terms(at));
}

function writeTerms(events: EventBytes, terms: OrderTerms): void {
  events.integer(ORDER_TERM_NAMES.length);
  for (const name of ORDER_TERM_NAMES) {
    const values: readonly OrderTerms[typeof name][] = ORDER_TERMS[name];
    events.integer(values.indexOf(terms[name]));
  }
}

function writeMatched(
  state: EngineState,
  draft: Draft,
  events: EventBytes,
  market: MarketRecord,
  at: number,
  count: number,
): void {
  const { signed } = state;
  const maker = draft.handles[at]!;
  const digits = countDigits(count);
  const price = state.orders.price(maker);
  const { fee, makerRebate } = feesOf(market, price, draft.sizes[at]!);
  events.begin(HOT_TAGS['trade-matched']);
  writeHead(state, draft, events, market);
  const charges = (fee === undefined ? 0 : FEE_FLAG) | (makerRebate === undefined ? 0 : REBATE_FLAG);
  events.byte(draft.outcome | (draft.side << 1) | charges);
  events.byte(market.tradePrefix.length + digits);
  events.ascii(market.tradePrefix);
  events.decimal(count, digits);
  events.integer(price);
  events.integer(draft.sizes[at]!);
  events.copyWords(signed.words, signed.wordOf(maker), HASH_WORDS);
  writeTaker(state, draft, events, 0, HASH_WORDS);
  events.copyWords(signed.words, signed.wordOf(maker) + TRADER_WORD, ADDRESS_WORDS);
  writeTaker(state, draft, events, TRADER_WORD, ADDRESS_WORDS);
  if (fee !== undefined) events.integer(fee);
  if (makerRebate !== undefined) events.integer(makerRebate);
}

/** Copies a part of the incoming order's record, which is a command or a returning order. */
function writeTaker({ signed }: EngineState, draft: Draft, events: EventBytes, from: number, length: number): void {
  const { packed, packedAt } = draft;
  if (packed === undefined) events.copyWords(signed.words, signed.wordOf(draft.taker) + from, length);
  else events.copyWords(packed.words, packed.hashWord(packedAt) + from, length);
}

function writeCancelled(state: EngineState, draft: Draft, events: EventBytes, market: MarketRecord, at: number): void {
  const { orders, signed } = state;
  const order = draft.kinds[at] === CANCEL ? draft.handles[at]! : draft.taker;
  const isPlaced = order === NONE;
  const side = isPlaced ? draft.side : orders.side(order);
  const outcome = isPlaced ? draft.outcome : orders.outcome(order);
  events.begin(HOT_TAGS['order-cancelled']);
  writeHead(state, draft, events, market);
  events.byte(outcome | (side << 1));
  if (isPlaced) {
    writeTaker(state, draft, events, 0, HASH_WORDS);
    writeTaker(state, draft, events, TRADER_WORD, ADDRESS_WORDS);
  } else {
    events.copyWords(signed.words, signed.wordOf(order), HASH_WORDS);
    events.copyWords(signed.words, signed.wordOf(order) + TRADER_WORD, ADDRESS_WORDS);
  }
  events.integer(isPlaced ? draft.price : orders.price(order));
  events.integer(draft.sizes[at]!);
  const reason = CANCEL_REASONS[draft.reasons[at]!]!;
  events.byte(reason.length);
  events.ascii(reason);
}
