// Operations that have a nonce and were never signed: nothing was sent for them, so each may get another nonce.
import type { Slot } from './nonce-slot.ts';

interface Move {
  readonly slot: Slot;
  readonly nonce: number;
}

/** One that somebody else's transaction took has its operation elsewhere. */
export function isUnsigned({ attempts, mined, lostTo }: Slot): boolean {
  return attempts.length === 0 && mined === null && lostTo === null;
}

/** Moves to the next nonces of an account, behind all that it has used or signed. `slots` come lowest first; in the order of the moves each nonce is free. */
export function planMoves(slots: readonly Slot[], chainNonce: number): Move[] {
  const used = slots.filter((slot) => !isUnsigned(slot)).map(({ nonce }) => nonce + 1);
  let next = Math.max(chainNonce, ...used);
  const isAbove = ({ nonce }: Slot) => nonce >= chainNonce;
  const unsigned = slots.filter(isUnsigned);
  const moves: Move[] = [];
  for (const slot of [...unsigned.filter(isAbove), ...unsigned.filter((each) => !isAbove(each))]) {
    if (isAbove(slot) && slot.nonce <= next) next = Math.max(next, slot.nonce + 1);
    else moves.push({ slot, nonce: next++ });
  }
  return moves;
}
