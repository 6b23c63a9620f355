// Requests that wait for a second operator, from the records of the control partition.
import { type ApprovableAction, isForgotten, type OperatorActed } from '@presage/protocol';
import { Listeners } from '@presage/runtime';

export interface PendingApproval {
  readonly approvalId: string;
  readonly action: ApprovableAction;
  /** Id of the called endpoint; `params` and `body` are its input. */
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** JSON as sent. */
  readonly body: string;
  /** Id of the requesting key. */
  readonly actor: string;
  readonly reason: string;
  readonly requestedMs: number;
  readonly expiresMs: number;
}

export class PendingApprovals {
  readonly #requests = new Map<string, PendingApproval>();
  readonly #used = new Listeners<[approvalId: string]>();

  /** Applies a durable action of operators, at recovery and live. */
  follow({ action, approval, actor, reason, timeMs }: OperatorActed): void {
    if (approval !== undefined && this.#requests.delete(approval.id)) this.#used.call(approval.id);
    if (action.kind === 'reject-approval') this.#requests.delete(action.approvalId);
    // Drops the requests of a revoked key, in whose name nothing may be done.
    if (action.kind === 'revoke-key') this.#drop((request) => request.actor === action.keyId);
    if (action.kind !== 'request-approval') return;
    const { kind: _, ...request } = action;
    this.#requests.set(action.approvalId, { ...request, actor, reason, requestedMs: timeMs });
    this.#drop((each) => isForgotten(each, timeMs));
  }

  /** Calls the listener when the first record of a confirmed action is durable; returns a function that removes it. */
  onUsed(listener: (approvalId: string) => void): () => void {
    return this.#used.add(listener);
  }

  /** Finds a request, even an expired one for a day. */
  find(approvalId: string): PendingApproval | undefined {
    return this.#requests.get(approvalId);
  }

  /** Requests that can be confirmed, oldest first. */
  list(nowMs: number): PendingApproval[] {
    return [...this.#requests.values()].filter(({ expiresMs }) => expiresMs > nowMs);
  }

  #drop(isGone: (request: PendingApproval) => boolean): void {
    for (const request of this.#requests.values()) if (isGone(request)) this.#requests.delete(request.approvalId);
  }
}
