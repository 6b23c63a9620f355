// Resolves the promises of callers that wait for a stage of an operation.
import type { OperationView } from '@presage/chain';

type Test = (view: OperationView) => boolean;

interface Waiter {
  readonly test: Test;
  readonly resolve: (view: OperationView) => void;
}

/** Whether a node holds the transaction, or none ever will. */
export function isOut({ stage }: Pick<OperationView, 'stage'>): boolean {
  return stage === 'submitted' || isMined({ stage });
}

/** Whether a block holds the transaction, or none ever will. */
export function isMined({ stage }: Pick<OperationView, 'stage'>): boolean {
  return stage === 'mined' || isDecided({ stage });
}

/** Whether the operation is confirmed, or certain to have no effect. */
export function isDecided({ stage }: Pick<OperationView, 'stage'>): boolean {
  return stage === 'confirmed' || stage === 'failed' || stage === 'abandoned';
}

export class OperationWatch {
  readonly #statusOf: (operationId: string) => OperationView | undefined;
  readonly #waiters = new Map<string, Waiter[]>();

  constructor(statusOf: (operationId: string) => OperationView | undefined) {
    this.#statusOf = statusOf;
  }

  when(operationId: string, test: Test): Promise<OperationView> {
    const view = this.#statusOf(operationId);
    if (view !== undefined && test(view)) return Promise.resolve(view);
    return new Promise((resolve) => {
      this.#waiters.set(operationId, [...(this.#waiters.get(operationId) ?? []), { test, resolve }]);
    });
  }

  notify(view: OperationView): void {
    const waiters = this.#waiters.get(view.operationId);
    if (waiters === undefined) return;
    const rest = waiters.filter(({ test }) => !test(view));
    if (rest.length === 0) this.#waiters.delete(view.operationId);
    else this.#waiters.set(view.operationId, rest);
    for (const { test, resolve } of waiters) if (test(view)) resolve(view);
  }
}
