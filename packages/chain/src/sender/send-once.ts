// Executes a call once, however often it is requested, and retries it after a transaction failed or was given up.
import type { OperationView } from './operation-view.ts';
import type { SenderPort, TransactionRequest } from './sender-options.ts';

interface NamedCall extends Omit<TransactionRequest, 'operationId'> {
  /**
   * The operation's id for each attempt, from 1 on. Known before sending, so that a restart continues the same attempt
   * instead of starting another.
   */
  readonly nameOf: (attempt: number) => string;
}

/** The pending or confirmed attempt; a new one if the last failed or was given up. */
export async function sendOnce(sender: SenderPort, { nameOf, ...call }: NamedCall): Promise<OperationView> {
  for (let attempt = 1; ; attempt++) {
    const operationId = nameOf(attempt);
    const known = sender.status(operationId);
    if (known === undefined) return sender.enqueue({ operationId, ...call });
    if (known.stage !== 'failed' && known.stage !== 'abandoned') return known;
  }
}
