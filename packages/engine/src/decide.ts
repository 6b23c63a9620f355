// Turns a command into a draft of events or one refusal. Reads the state, changes nothing, so nothing ever needs to be rolled back.
import type { EngineCommand } from '@presage/protocol/engine-types';
import { decideChangeResolution, decideCloseMarket, decideListMarket, decideTick } from './decide-market.ts';
import { decideCancelOrder, decideCancelOrders, decidePlaceOrder } from './decide-order.ts';
import { decideFailTrade, decideMoveTrade } from './decide-trade.ts';
import type { Draft } from './draft.ts';
import type { EngineState } from './engine-state.ts';

/** The draft holds until the next decision. */
export function decide(state: EngineState, command: EngineCommand): Draft {
  if (command.timeMs < state.timeMs) throw new RangeError(`command at ${command.timeMs}, state at ${state.timeMs}`);
  const { draft } = state;
  draft.begin(command.timeMs);
  return fill(state, draft, command);
}

function fill(state: EngineState, draft: Draft, command: EngineCommand): Draft {
  switch (command.type) {
    case 'place-order':
      return decidePlaceOrder(state, draft, command);
    case 'cancel-order':
      return decideCancelOrder(state, draft, command);
    case 'cancel-orders':
      return decideCancelOrders(state, draft, command);
    case 'move-trade':
      return decideMoveTrade(state, draft, command);
    case 'fail-trade':
      return decideFailTrade(state, draft, command);
    case 'tick':
      return decideTick(state, draft, command);
    case 'list-market':
      return decideListMarket(state, draft, command);
    case 'close-market':
      return decideCloseMarket(state, draft, command);
    case 'change-resolution':
      return decideChangeResolution(state, draft, command);
  }
}
