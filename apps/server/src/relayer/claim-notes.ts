// Writes down where the claims of a relayed redemption stand: pending when it is out, confirmed or failed when the chain has decided.
import { type OperationView, RETAINED_OPERATIONS } from '@presage/chain';
import type { ClaimChanged, ClaimStatus, Hex } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
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
  /** What earlier runs wrote, oldest first. */
  readonly records: readonly RelayerRecord[];
  readonly hasFollowed: HasFollowed;
}

export class ClaimNotes {
  readonly #context: ChainContext;
  readonly #options: ClaimNotesOptions;
  /** What was published last, by operation. */
  readonly #published = new Map<string, string>();
  readonly #queue = new SerialQueue();

  constructor(context: ChainContext, options: ClaimNotesOptions) {
    this.#context = context;
    this.#options = options;
    for (const record of options.records) {
      if (record.kind === 'claims-told') this.#published.set(record.operationId, record.news);
    }
  }

  /** Resolves when what the view says is durable; the same state is published once. */
  follow(record: RelayRecord, view: OperationView): Promise<void> {
    if (record.claims === undefined) return Promise.resolve();
    const step = this.#queue.run(() => this.#publish(record, view));
    step.catch((error: unknown) => {
      this.#context.log.warn({ error: String(error) }, 'state of a claim could not be written');
    });
    return step;
  }

  async close(): Promise<void> {
    await this.#queue.idle();
  }

  async #publish(record: RelayRecord, view: OperationView): Promise<void> {
    const status = STATUSES[view.stage];
    const { hash, blockNumber } = view;
    if (status === undefined || hash === null) return;
    const { operationId } = record;
    const state = `${status} ${hash}`;
    if (this.#published.get(operationId) === state) return;
    const reason = status === 'failed' ? await this.#reasonOf(view) : undefined;
    // A claim is paid when its shares are gone, which the indexer writes down. If it is behind, the claim is told nevertheless.
    if (status === 'confirmed' && blockNumber !== null) await this.#options.hasFollowed(blockNumber);
    await this.#context.note(...this.#toRecords(record, hash, status, reason));
    await this.#options.journal.append({ kind: 'claims-told', operationId, news: state });
    this.#remember(operationId, state);
  }

  /** As many as the sender remembers: of others nothing is ever published again. */
  #remember(operationId: string, state: string): void {
    this.#published.delete(operationId);
    this.#published.set(operationId, state);
    if (this.#published.size <= RETAINED_OPERATIONS) return;
    for (const oldest of this.#published.keys()) {
      this.#published.delete(oldest);
      return;
    }
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
