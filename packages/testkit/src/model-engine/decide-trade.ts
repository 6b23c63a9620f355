// Decides whether a trade may change its stage, and how a failed one repairs the book. Reads the state, changes nothing.
import type { CancelReason, EngineOutput, FailTrade, MoveTrade, TradeStage } from '@presage/protocol/engine-types';
import type { EngineState } from './engine-state.ts';
import { matchIncoming, toIncoming } from './matching.ts';
import { isBeyondRecall } from './memory/memory.ts';
import { expiresMs, isOpenAt, type OrderRecord, type TradeRecord } from './records.ts';
import { buyerOf, refuse, StepDraft, sellerOf } from './step-draft.ts';

/**
 * Allowed moves, as in docs/protocol.md, "Stages". Nothing leaves `failed`; a confirmed trade can only be undone by a
 * deep reorg.
 */
const TRADE_MOVES: Readonly<Record<TradeStage, readonly TradeStage[]>> = {
  matched: ['submitted', 'failed'],
  submitted: ['mined', 'retrying', 'failed'],
  mined: ['confirmed', 'retrying', 'failed'],
  confirmed: ['retrying'],
  retrying: ['submitted', 'failed'],
  failed: [],
};

export function decideMoveTrade(state: EngineState, command: MoveTrade): EngineOutput[] {
  const trade = findTrade(state, command);
  if (trade === undefined) return refuse('trade_not_found');
  if (!TRADE_MOVES[trade.stage].includes(command.stage)) return refuseMove(trade.stage, command.stage);
  const draft = new StepDraft(trade.maker.market, command.timeMs);
  draft.move(command);
  return draft.events;
}

/**
 * Rules as in docs/protocol.md, "Repair of a failed fill". The fault is an order's, not a wallet's: both orders may
 * belong to one wallet.
 */
export function decideFailTrade(state: EngineState, command: FailTrade): EngineOutput[] {
  const trade = findTrade(state, command);
  if (trade === undefined) return refuse('trade_not_found');
  if (!TRADE_MOVES[trade.stage].includes('failed')) return refuseMove(trade.stage, 'failed');
  const draft = new StepDraft(trade.maker.market, command.timeMs);
  draft.fail(command, trade);
  const [buyer, seller] = [buyerOf(trade), sellerOf(trade)];
  const { faultParty, overfilled } = command;
  const ending = faultParty === 'chain' ? (overfilled ?? faultParty) : faultParty;
  if (ending === 'buyer') repair(state, draft, { trade, ending: buyer, returning: seller });
  else if (ending === 'seller') repair(state, draft, { trade, ending: seller, returning: buyer });
  else for (const order of [trade.maker, trade.taker]) bar(draft, order, 'settlement_failed');
  return draft.events;
}

interface Verdict {
  readonly trade: TradeRecord;
  readonly ending: OrderRecord;
  readonly returning: OrderRecord;
}

function repair(state: EngineState, draft: StepDraft, verdict: Verdict): void {
  const { ending, returning } = verdict;
  bar(draft, ending, 'settlement_fault');
  const obstacle = obstacleToReturn(draft, returning);
  if (obstacle !== undefined) bar(draft, returning, obstacle);
  else if (isReturnable(returning)) comeBack(state, draft, verdict);
}

function comeBack(state: EngineState, draft: StepDraft, { trade, ending, returning }: Verdict): void {
  draft.restore(returning, trade);
  draft.gone = ending;
  // Post-only orders match here too: otherwise they would leave the book crossed.
  matchIncoming(state, draft, toIncoming(returning, trade.fill.size));
}

/** Keeps an order from returning. A cancelled order never returns, so a filled one is cancelled too, with size 0. */
function bar(draft: StepDraft, order: OrderRecord, reason: CancelReason): void {
  if (isReturnable(order)) draft.cancel(order, reason);
}

function isReturnable(order: OrderRecord): boolean {
  return order.status === 'open' || order.status === 'filled';
}

/**
 * Why an order without fault cannot regain its size. Without a reason, `filled` would still include the failed fill.
 */
function obstacleToReturn(draft: StepDraft, order: OrderRecord): CancelReason | undefined {
  if (order.accepted.terms.timeInForce !== 'GTC') return 'immediate_or_cancel';
  if (expiresMs(order) <= draft.timeMs) return 'expired';
  return isOpenAt(order.market, draft.timeMs) ? undefined : 'market_closed';
}

function findTrade(state: EngineState, command: MoveTrade | FailTrade): TradeRecord | undefined {
  const trade = state.markets.get(command.marketId)?.trades.get(command.tradeId);
  return trade === undefined || isBeyondRecall(trade, command.timeMs) ? undefined : trade;
}

function refuseMove(from: TradeStage, to: TradeStage): EngineOutput[] {
  return refuse('trade_move_refused', { from, to });
}
