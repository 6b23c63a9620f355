// Whether several orders can all be placed, one after another: decides each and applies none.
import type { CommandRefused, PlaceOrder } from '@presage/protocol/engine-types';
import { decide } from './decide.ts';
import type { EngineState } from './engine-state.ts';
import { TakenAhead } from './taken-ahead.ts';

/** `placed`: every one of them was placed before. */
export type Trial =
  | { readonly outcome: 'placeable' | 'placed' }
  | { readonly outcome: 'refused'; readonly index: number; readonly refusal: CommandRefused };

const USED: CommandRefused = { type: 'command-refused', code: 'nonce_already_used' };

export function tryAll(state: EngineState, commands: readonly PlaceOrder[]): Trial {
  const { draft } = state;
  state.ahead = new TakenAhead();
  const placedBefore: number[] = [];
  const nonces = new Set<string>();
  try {
    for (const [index, command] of commands.entries()) {
      const { marketId, trader, nonce } = command.order;
      const key = `${marketId} ${trader} ${nonce}`;
      if (nonces.has(key)) return { outcome: 'refused', index, refusal: USED };
      const { answer } = decide(state, command);
      if (answer?.type === 'command-refused') return { outcome: 'refused', index, refusal: answer };
      if (answer === undefined) {
        nonces.add(key);
        state.ahead.add(draft);
      } else placedBefore.push(index);
    }
  } finally {
    state.ahead = undefined;
  }
  const [known] = placedBefore;
  if (known === undefined) return { outcome: 'placeable' };
  // If only some are known, they were not placed together, and can no longer be.
  return placedBefore.length === commands.length
    ? { outcome: 'placed' }
    : { outcome: 'refused', index: known, refusal: USED };
}
