// Has a call executed once, however often it is asked for, also where a transaction failed or was given up.
import type { OperationView } from './operation-view.ts';
import type { SenderPort, TransactionRequest } from './sender-options.ts';

interface NamedCall extends Omit<TransactionRequest, 'operationId'> {
  /** The operation's id at each attempt, from 1 on. Known before sending: after a restart the same attempt is asked for, not another one. */
  readonly nameOf: (attempt: number) => string;
}

/** The attempt that is under way or confirmed; a new one if the last has failed or was given up. */
export async function sendOnce(sender: SenderPort, { nameOf, ...call }: NamedCall): Promise<OperationView> {
  for (let attempt = 1; ; attempt++) {
    const operationId = nameOf(attempt);
    const known = sender.status(operationId);
    if (known === undefined) return sender.enqueue({ operationId, ...call });
    if (known.stage !== 'failed' && known.stage !== 'abandoned') return known;
  }
}
