// The turn of an order, or of a batch, among those that are judged at the same time, and what becomes of it while a chain is asked.
import { PresageError } from '@presage/protocol';

export interface OrderTurn {
  /** Others have the turn until somebody outside has answered. Undefined if too many orders wait for such answers. */
  whileOut<T>(answer: Promise<T>): Promise<T> | undefined;
}

/** Without a turn the answer is simply waited for. What it has reserved when it comes is given back where the order was refused for want of room. */
export function whileOut<T>(
  turn: OrderTurn | undefined,
  answer: Promise<T>,
  giveBack: () => void = () => undefined,
): Promise<T> {
  const waited = turn === undefined ? answer : turn.whileOut(answer);
  if (waited !== undefined) return waited;
  answer.then(giveBack, () => undefined);
  return Promise.reject(new PresageError('overloaded'));
}
