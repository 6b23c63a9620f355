// Turns a command into a draft of events or one refusal. Reads the state and changes nothing, so nothing has to be rolled back.
import type { EngineCommand } from '@presage/protocol/engine-types';
import { decideChangeResolution, decideCloseMarket, decideListMarket, decideTick } from './decide-market.ts';
import {
  decideCancelObject,
  decideCancelOrder,
  decideCancelOrders,
  decidePlaceObject,
  decidePlaceOrder,
} from './decide-order.ts';
import { decideFailTrade, decideMoveTrade } from './decide-trade.ts';
import type { Draft } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import type { PackedCommands } from './slabs/packed-commands.ts';

/** The draft is valid until the next decision. */
export function decide(state: EngineState, command: EngineCommand): Draft {
  return fill(state, begin(state, command.timeMs), command);
}

/** Like `decide`, for a command given as bytes. */
export function decidePacked(state: EngineState, packed: PackedCommands, at: number): Draft {
  const draft = begin(state, packed.timeMs(at));
  return packed.isPlace(at) ? decidePlaceOrder(state, draft, packed, at) : decideCancelOrder(state, draft, packed, at);
}

function begin({ draft, timeMs: nowMs }: EngineState, timeMs: number): Draft {
  if (timeMs < nowMs) throw new RangeError(`command at ${timeMs}, state at ${nowMs}`);
  draft.begin(timeMs);
  return draft;
}

function fill(state: EngineState, draft: Draft, command: EngineCommand): Draft {
  switch (command.type) {
    case 'place-order':
      return decidePlaceObject(state, draft, command);
    case 'cancel-order':
      return decideCancelObject(state, draft, command);
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
