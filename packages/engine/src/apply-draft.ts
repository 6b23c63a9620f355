// Applies a draft right after it was decided, while its handles are still valid.
import { CANCEL_REASONS } from '@presage/protocol/engine-types';
import * as apply from './apply.ts';
import { NONE } from './book/book.ts';
import { ACCEPT, CANCEL, CANCEL_INCOMING, type Draft, RESTORE, STEP, TRADE } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import type { MarketRecord } from './records.ts';

/** The events get sequences of the journal from `firstSeq` on. */
export function applyDraft(state: EngineState, draft: Draft, firstSeq: number): void {
  if (draft.answer === undefined) applyEntries(state, draft, firstSeq);
  state.markets.retireOver();
}

function applyEntries(state: EngineState, draft: Draft, firstSeq: number): void {
  let seq = firstSeq;
  let market: MarketRecord | undefined;
  let step = 0;
  for (let at = 0; at < draft.count; at++) {
    if (draft.kinds[at] === STEP) {
      market = state.markets.at(draft.handles[at]!);
      step = market.step + 1;
      continue;
    }
    state.seq = seq++;
    if (market === undefined) listMarket(state, draft, at);
    else {
      apply.enterStep(state, market, step, draft.timeMs);
      applyEntry(state, draft, at, market);
    }
  }
  apply.settlePending(state);
}

function applyEntry(state: EngineState, draft: Draft, at: number, market: MarketRecord): void {
  const order = draft.handles[at]!;
  const size = draft.sizes[at]!;
  switch (draft.kinds[at]) {
    case ACCEPT:
      apply.acceptOrder(state, market, draft.packed!, draft.packedAt);
      break;
    case TRADE:
      apply.matchTrade(state, market, order, takerOf(state, draft), size);
      break;
    case CANCEL:
      apply.cancelOrder(state, order, size, CANCEL_REASONS[draft.reasons[at]!]!);
      break;
    case CANCEL_INCOMING:
      apply.cancelOrder(state, takerOf(state, draft), size, CANCEL_REASONS[draft.reasons[at]!]!);
      break;
    case RESTORE:
      apply.restoreOrder(state, order, size);
      break;
    default:
      applyRare(state, draft, at, market);
  }
}

function takerOf(state: EngineState, draft: Draft): number {
  return draft.taker === NONE ? state.newest : draft.taker;
}

function listMarket(state: EngineState, draft: Draft, at: number): void {
  const listed = draft.rare.get(at);
  if (listed?.type !== 'market-listed') throw new Error('an event belongs to no market');
  const market = state.addMarket(listed.market);
  apply.enterStep(state, market, 1, draft.timeMs);
  state.marketLapses.push(market.lapsesMs, market.number, 0);
}

function applyRare(state: EngineState, draft: Draft, at: number, market: MarketRecord): void {
  const event = draft.rare.get(at)!;
  switch (event.type) {
    case 'market-closed':
      apply.closeMarket(state, market, event.reason);
      break;
    case 'resolution-changed':
      apply.resolveMarket(state, market, event.resolution);
      break;
    case 'trade-moved':
      apply.moveTrade(state, state.findTrade(market, event.tradeId), event.stage, event.settlement);
      break;
    case 'trade-failed':
      apply.failTrade(state, market, state.findTrade(market, event.tradeId));
      break;
    default:
      throw new Error(`${event.type} is no event of a market that is listed`);
  }
}
