// Callers that wait: for an operation to be on the wire, or for capacity to start one.
import type { OperationView } from './operation-view.ts';

/** The operation is being given up; it may still turn out to have been executed, so look at its final stage. */
export class OperationGivenUp extends Error {
  override readonly name = 'OperationGivenUp';
  readonly operation: OperationView;

  constructor(operation: OperationView) {
    super(`${operation.operationId}: ${operation.reason ?? operation.stage}`);
    this.operation = operation;
  }
}

interface Waiter {
  readonly resolve: (operation: OperationView) => void;
  readonly reject: (error: Error) => void;
}

const ON_THE_WIRE = new Set(['submitted', 'mined', 'confirmed', 'failed']);

export class OperationWaiters {
  readonly #submitted = new Map<string, Waiter[]>();
  #capacity: { hasCapacity: () => boolean; enter: () => void; reject: (error: Error) => void } | null = null;
  #ended: Error | null = null;

  submitted(operation: OperationView, look: () => OperationView | undefined): Promise<OperationView> {
    return new Promise((resolve, reject) => {
      const { operationId } = operation;
      if (this.#ended !== null) return reject(this.#ended);
      this.#submitted.set(operationId, [...(this.#submitted.get(operationId) ?? []), { resolve, reject }]);
      this.notify(look() ?? operation);
    });
  }

  notify(operation: OperationView): void {
    const isOut = ON_THE_WIRE.has(operation.stage);
    const isGivenUp = operation.stage === 'abandoned' || operation.reason !== null;
    if (!isOut && !isGivenUp) return;
    const waiters = this.#submitted.get(operation.operationId) ?? [];
    this.#submitted.delete(operation.operationId);
    for (const { resolve, reject } of waiters) {
      if (isOut) resolve(operation);
      else reject(new OperationGivenUp(operation));
    }
  }

  /** Only one caller waits here at a time: the others wait in the sender's queue. */
  capacity(hasCapacity: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended);
      this.#capacity = { hasCapacity, enter: resolve, reject };
      this.notifyCapacity();
    });
  }

  notifyCapacity(): void {
    if (this.#capacity === null || !this.#capacity.hasCapacity()) return;
    this.#capacity.enter();
    this.#capacity = null;
  }

  end(error: Error): void {
    this.#ended = error;
    for (const waiters of this.#submitted.values()) for (const { reject } of waiters) reject(error);
    this.#capacity?.reject(error);
    this.#submitted.clear();
    this.#capacity = null;
  }
}
