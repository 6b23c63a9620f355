// Actions that two operators do together: one asks, another key confirms within a time, and only then it is done, once.
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

/** What was asked for: an endpoint and its input. */
type Request = Pick<PendingApproval, 'action' | 'operation' | 'params' | 'body'>;

export class Approvals {
  readonly #options: ApprovalsOptions;
  /** Runs one request at a time: the second of two that are the same finds the first. */
  readonly #requests = new SerialQueue();
  /** Runs one confirmation at a time, until its request is used: the second of two finds it so. */
  readonly #confirmations = new SerialQueue();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  isRequired(action: ApprovableAction): boolean {
    return this.#options.config.actions.includes(action);
  }

  /** Name of the key that asked. */
  nameOf(keyId: string): string | undefined {
    return this.#options.state.find(keyId)?.name;
  }

  list(): PendingApproval[] {
    return this.#options.state.approvals.list(this.#options.wallMs());
  }

  /** Resolves once the request is durable. The same request of the same key is one request, however often it is sent. */
  request(asked: Asked, request: Request): Promise<PendingApproval> {
    return this.#requests.run(async () => {
      const known = this.list().find((pending) => pending.actor === asked.actor && isSame(pending, request));
      return known ?? this.#record(asked, request);
    });
  }

  /** Does what was asked for in the name of the key that asked: its first record uses the request up. */
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

  /** Any operator may, the one who asked included. */
  reject(asked: Asked, approvalId: string): Promise<void> {
    return this.#confirmations.run(async () => {
      this.#findOpen(approvalId);
      await this.#note(asked, { kind: 'reject-approval', approvalId });
    });
  }

  /** Resolves once the request is used, or its action is over: the outcomes of an event are listed long behind its record. */
  async #usedOrOver<T>(approvalId: string, act: () => Promise<T>): Promise<{ readonly result: Promise<T> }> {
    let unlisten = () => {};
    const used = new Promise<void>((resolve) => {
      unlisten = this.#options.state.approvals.onUsed((id) => id === approvalId && resolve());
    });
    const result = act();
    // Its failure is the caller's.
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
