// Turns a command into events or one refusal. Reads the state and changes nothing, so nothing has to be rolled back.
import type { EngineCommand, EngineOutput } from '@presage/protocol/engine-types';
import { decideChangeResolution, decideCloseMarket, decideListMarket, decideTick } from './decide-market.ts';
import { decideCancelOrder, decideCancelOrders, decidePlaceOrder } from './decide-order.ts';
import { decideFailTrade, decideMoveTrade } from './decide-trade.ts';
import type { EngineState } from './engine-state.ts';

export function decide(state: EngineState, command: EngineCommand): EngineOutput[] {
  if (command.timeMs < state.timeMs) throw new RangeError(`command at ${command.timeMs}, state at ${state.timeMs}`);
  switch (command.type) {
    case 'place-order':
      return decidePlaceOrder(state, command);
    case 'cancel-order':
      return decideCancelOrder(state, command);
    case 'cancel-orders':
      return decideCancelOrders(state, command);
    case 'move-trade':
      return decideMoveTrade(state, command);
    case 'fail-trade':
      return decideFailTrade(state, command);
    case 'tick':
      return decideTick(state, command);
    case 'list-market':
      return decideListMarket(state, command);
    case 'close-market':
      return decideCloseMarket(state, command);
    case 'change-resolution':
      return decideChangeResolution(state, command);
  }
}
