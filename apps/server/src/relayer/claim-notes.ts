// Records the status of the claims of a relayed redemption: pending once it is sent, confirmed or failed when the chain has decided.
import { type OperationView, RETAINED_OPERATIONS } from '@presage/chain';
import type { ClaimChanged, ClaimStatus, Hex } from '@presage/protocol';
import { RepeatedWork, SerialQueue } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import { findRevertReason } from './call-simulation.ts';
import type { HasFollowed, RelayerRecord, RelayRecord } from './ports.ts';

const STATUSES: Readonly<Partial<Record<OperationView['stage'], ClaimStatus>>> = {
  submitted: 'pending',
  retrying: 'pending',
  mined: 'pending',
  confirmed: 'confirmed',
  failed: 'failed',
  abandoned: 'failed',
};

interface ClaimNotesOptions {
  readonly journal: ChainLog['relays'];
  /** Records of earlier runs, oldest first. */
  readonly records: readonly RelayerRecord[];
  readonly hasFollowed: HasFollowed;
}

/** State of the claims of one operation. */
interface OperationClaims {
  /** Writes the states of this operation in order, without waiting for other operations. */
  readonly queue: SerialQueue;
  /** State that was published last. */
  published?: string;
  /** Newest state, while it is not written. */
  unwritten?: { readonly record: RelayRecord; readonly view: OperationView } | undefined;
}

const RETRY_MS = 500;

export class ClaimNotes {
  readonly #context: ChainContext;
  readonly #options: ClaimNotesOptions;
  readonly #operations = new Map<string, OperationClaims>();
  readonly #retries: RepeatedWork<string>;

  constructor(context: ChainContext, options: ClaimNotesOptions) {
    this.#context = context;
    this.#options = options;
    for (const record of options.records) {
      if (record.kind === 'claims-told') this.#open(record.operationId).published = record.news;
    }
    this.#retries = new RepeatedWork({
      work: (operationIds) => Promise.all(operationIds.map((operationId) => this.#retry(operationId))),
      onTrouble: (error) => {
        context.log.warn({ error: String(error) }, 'state of a claim could not be written; retrying');
      },
      pauseMs: RETRY_MS,
    });
  }

  /** Resolves when the state of the view is durable. A state is published once; one that could not be written is retried. */
  follow(record: RelayRecord, view: OperationView): Promise<void> {
    const { operationId, claims } = record;
    if (claims === undefined) return Promise.resolve();
    const operation = this.#open(operationId);
    const step = operation.queue.run(() => this.#write(operation, record, view));
    step.catch(() => this.#retries.add(operationId));
    return step;
  }

  async close(): Promise<void> {
    await this.#retries.close();
    await Promise.all([...this.#operations.values()].map(({ queue }) => queue.idle()));
  }

  /** Keeps as many operations as the sender: nothing is ever published about others. */
  #open(operationId: string): OperationClaims {
    const operation = this.#operations.get(operationId) ?? { queue: new SerialQueue() };
    this.#operations.delete(operationId);
    this.#operations.set(operationId, operation);
    const [oldest] = this.#operations.keys();
    if (this.#operations.size > RETAINED_OPERATIONS && oldest !== undefined) this.#operations.delete(oldest);
    return operation;
  }

  #retry(operationId: string): Promise<void> | undefined {
    const operation = this.#operations.get(operationId);
    return operation?.queue.run(async () => {
      const { unwritten } = operation;
      if (unwritten !== undefined) await this.#write(operation, unwritten.record, unwritten.view);
    });
  }

  async #write(operation: OperationClaims, record: RelayRecord, view: OperationView): Promise<void> {
    operation.unwritten = { record, view };
    await this.#publish(operation, record, view);
    operation.unwritten = undefined;
  }

  async #publish(operation: OperationClaims, record: RelayRecord, view: OperationView): Promise<void> {
    const status = STATUSES[view.stage];
    const { hash, blockNumber } = view;
    if (status === undefined || hash === null) return;
    const state = `${status} ${hash}`;
    if (operation.published === state) return;
    const reason = status === 'failed' ? await this.#reasonOf(view) : undefined;
    // A claim is paid when its shares are gone, which the indexer records. If the indexer is too late, the claim is published anyway.
    if (status === 'confirmed' && blockNumber !== null) await this.#options.hasFollowed(blockNumber);
    await this.#context.note(...this.#toRecords(record, hash, status, reason));
    await this.#options.journal.append({ kind: 'claims-told', operationId: record.operationId, news: state });
    operation.published = state;
  }

  #toRecords(record: RelayRecord, txHash: Hex, status: ClaimStatus, reason?: string): ClaimChanged[] {
    const { operationId, owner, submittedAt, claims = [] } = record;
    return claims.map((claim) => ({
      type: 'claim-changed',
      timeMs: this.#context.clock.nowMs(),
      claimId: operationId,
      txHash,
      userAddress: owner,
      ...claim,
      submittedAt,
      status,
      ...(reason !== undefined && { reason }),
    }));
  }

  async #reasonOf({ reason, hash, blockNumber }: OperationView): Promise<string> {
    if (reason !== null || hash === null || blockNumber === null) return reason ?? 'the transaction was given up';
    return findRevertReason(this.#context.rpc, hash, blockNumber);
  }
}
