// A transaction sender as those who send through it see it: ask once, then look how far it is.
import type { OperationView } from './operation-view.ts';
import type { TransactionRequest } from './sender-options.ts';

export interface SenderPort {
  /** Resolves when the operation is durable; the same id again is the same operation. */
  enqueue(request: TransactionRequest): Promise<OperationView>;
  status(operationId: string): OperationView | undefined;
}

/** A sender whose operations are followed as they move. */
export interface WatchedSenderPort extends SenderPort {
  onChange(listener: (operation: OperationView) => void): void;
}
