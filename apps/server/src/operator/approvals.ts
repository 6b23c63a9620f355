// Actions that need two operators: one requests, another key confirms within a time, and only then it is done, once.
import { randomBytes } from 'node:crypto';
import { type ApprovableAction, LIMITS, type OperatorAction, PresageError } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { ApprovalConfig } from '../config/operator-config.ts';
import type { Asked, NoteAction } from './asked.ts';
import type { OperatorKey, OperatorState } from './operator-state.ts';
import type { PendingApproval } from './pending-approvals.ts';

export interface ApprovalsOptions {
  readonly config: ApprovalConfig;
  readonly state: Pick<OperatorState, 'approvals' | 'find'>;
  readonly note: NoteAction;
  readonly wallMs: () => number;
}

/** The requested action: an endpoint and its input. */
type Request = Pick<PendingApproval, 'action' | 'operation' | 'params' | 'body'>;

export class Approvals {
  readonly #options: ApprovalsOptions;
  /** Runs one request at a time, so that the second of two equal ones finds the first. */
  readonly #requests = new SerialQueue();
  /** Runs one confirmation at a time, until its request is used, so that a second confirmation finds it used. */
  readonly #confirmations = new SerialQueue();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  isRequired(action: ApprovableAction): boolean {
    return this.#options.config.actions.includes(action);
  }

  /** Name of a requesting key. */
  nameOf(keyId: string): string | undefined {
    return this.#options.state.find(keyId)?.name;
  }

  list(): PendingApproval[] {
    return this.#options.state.approvals.list(this.#options.wallMs());
  }

  /** Requests an action; resolves once the request is durable. Repeating an equal request of the same key returns the first. */
  request(asked: Asked, request: Request): Promise<PendingApproval> {
    return this.#requests.run(async () => {
      const known = this.list().find((pending) => pending.actor === asked.actor && isSame(pending, request));
      return known ?? this.#record(asked, request);
    });
  }

  /** Confirms a request and executes it in the name of the requesting key; its first record uses the request up. */
  async confirm<T>(
    approvalId: string,
    by: OperatorKey,
    act: (pending: PendingApproval, requester: OperatorKey) => Promise<T>,
  ): Promise<T> {
    const { result } = await this.#confirmations.run(async () => {
      const pending = this.#findOpen(approvalId);
      if (pending.actor === by.keyId) throw new PresageError('approval_by_requester', { approvalId });
      const requester = this.#options.state.find(pending.actor);
      if (requester === undefined || requester.isRevoked) throw new PresageError('approval_not_found', { approvalId });
      return await this.#usedOrOver(approvalId, () => act(pending, requester));
    });
    return result;
  }

  /** Rejects a request; any operator may, including the requester. */
  reject(asked: Asked, approvalId: string): Promise<void> {
    return this.#confirmations.run(async () => {
      this.#findOpen(approvalId);
      await this.#note(asked, { kind: 'reject-approval', approvalId });
    });
  }

  /** Acts; resolves once the request is used or the action is over, since an event's outcomes are listed long after its record. */
  async #usedOrOver<T>(approvalId: string, act: () => Promise<T>): Promise<{ readonly result: Promise<T> }> {
    let unlisten = () => {};
    const used = new Promise<void>((resolve) => {
      unlisten = this.#options.state.approvals.onUsed((id) => id === approvalId && resolve());
    });
    const result = act();
    // Errors are left to the caller, who awaits `result`.
    const over = result.catch(() => undefined);
    await Promise.race([used, over]);
    unlisten();
    return { result };
  }

  async #record(asked: Asked, request: Request): Promise<PendingApproval> {
    const { state, config, wallMs } = this.#options;
    if (this.list().length >= LIMITS.pendingApprovalsMax) throw new PresageError('too_many_approvals');
    const approvalId = `ap_${randomBytes(12).toString('hex')}`;
    const expiresMs = wallMs() + config.minutes * 60_000;
    await this.#note(asked, { kind: 'request-approval', approvalId, expiresMs, ...request });
    const pending = state.approvals.find(approvalId);
    if (pending === undefined) throw new Error(`the request ${approvalId} was not recorded`);
    return pending;
  }

  #findOpen(approvalId: string): PendingApproval {
    const pending = this.#options.state.approvals.find(approvalId);
    if (pending === undefined) throw new PresageError('approval_not_found', { approvalId });
    if (pending.expiresMs > this.#options.wallMs()) return pending;
    throw new PresageError('approval_expired', { approvalId });
  }

  #note({ actor, reason }: Asked, action: OperatorAction): Promise<void> {
    const { note, wallMs } = this.#options;
    return note({ type: 'operator-acted', timeMs: wallMs(), actor, reason, action });
  }
}

function isSame(pending: Request, request: Request): boolean {
  const toText = ({ operation, params, body }: Request) => JSON.stringify([operation, params, body]);
  return toText(pending) === toText(request);
}
