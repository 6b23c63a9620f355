// A record of what an operator did, for tests that ask only what was done.
import type { OperatorActed, OperatorAction } from '@presage/protocol';

export function acted(action: OperatorAction): OperatorActed {
  return { type: 'operator-acted', timeMs: 1, actor: 'op_1', reason: '', action };
}
