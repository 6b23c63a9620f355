// Writes down where the claims of a relayed redemption stand: pending when it is out, confirmed or failed when the chain has decided.
import { type OperationView, RETAINED_OPERATIONS, type Rpc } from '@presage/chain';
import type { ClaimChanged, ClaimStatus, Hex } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import { findRevertReason } from './call-simulation.ts';
import type { RelayerJournal, RelayRecord } from './ports.ts';

export interface ClaimNotesOptions {
  readonly rpc: Rpc;
  readonly journal: RelayerJournal;
  readonly note: (record: ClaimChanged) => Promise<void>;
  readonly nowMs: () => number;
  /** What earlier runs published last, by operation. */
  readonly published: ReadonlyMap<string, string>;
  readonly onTrouble: (error: unknown) => void;
}

const STATUSES: Readonly<Partial<Record<OperationView['stage'], ClaimStatus>>> = {
  submitted: 'pending',
  retrying: 'pending',
  mined: 'pending',
  confirmed: 'confirmed',
  failed: 'failed',
  abandoned: 'failed',
};

export class ClaimNotes {
  readonly #options: ClaimNotesOptions;
  readonly #published: Map<string, string>;
  readonly #queue = new SerialQueue();

  constructor(options: ClaimNotesOptions) {
    this.#options = options;
    this.#published = new Map(options.published);
  }

  /** Resolves when what the view says is durable; the same state is published once. */
  follow(record: RelayRecord, view: OperationView): Promise<void> {
    if (record.claims === undefined) return Promise.resolve();
    const step = this.#queue.run(() => this.#publish(record, view));
    step.catch((error: unknown) => this.#options.onTrouble(error));
    return step;
  }

  async close(): Promise<void> {
    await this.#queue.idle();
  }

  async #publish(record: RelayRecord, view: OperationView): Promise<void> {
    const status = STATUSES[view.stage];
    if (status === undefined || view.hash === null) return;
    const { operationId } = record;
    const state = `${status} ${view.hash}`;
    if (this.#published.get(operationId) === state) return;
    const reason = status === 'failed' ? await this.#reasonOf(view) : undefined;
    await Promise.all(this.#toRecords(record, view, status, reason).map((claim) => this.#options.note(claim)));
    await this.#options.journal.append({ kind: 'claims-told', operationId, news: state });
    this.#remember(operationId, state);
  }

  /** As many as the sender remembers: of others nothing is ever published again. */
  #remember(operationId: string, state: string): void {
    this.#published.delete(operationId);
    this.#published.set(operationId, state);
    if (this.#published.size <= RETAINED_OPERATIONS) return;
    const [oldest] = this.#published.keys();
    this.#published.delete(oldest as string);
  }

  #toRecords(record: RelayRecord, view: OperationView, status: ClaimStatus, reason?: string): ClaimChanged[] {
    const { operationId, owner, submittedAt, claims = [] } = record;
    return claims.map((claim) => ({
      type: 'claim-changed',
      timeMs: this.#options.nowMs(),
      claimId: operationId,
      txHash: view.hash as Hex,
      userAddress: owner,
      ...claim,
      submittedAt,
      status,
      ...(reason !== undefined && { reason }),
    }));
  }

  async #reasonOf({ reason, hash, blockNumber }: OperationView): Promise<string> {
    if (reason !== null || hash === null || blockNumber === null) return reason ?? 'the transaction was given up';
    return findRevertReason(this.#options.rpc, hash, blockNumber);
  }
}
