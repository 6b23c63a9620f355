// The relayer's interface for the API: turns a request into a call, sends it, and answers with its outcome.
import type { OperationView, SenderPort } from '@presage/chain';
import {
  type Address,
  explainRefusal,
  type Hex,
  PresageError,
  type RelayedStage,
  type RelayedTransaction,
  type RelayerOperation,
  toChecksumAddress,
} from '@presage/protocol';
import type { Static } from 'typebox';
import type { ChainContext } from '../chains/chain-context.ts';
import type { WalletReads } from '../wallets/wallet-reads.ts';
import type { CallPolicy } from './call-policy.ts';
import { askingChain, findRevertReason } from './call-simulation.ts';
import type { ClaimNotes } from './claim-notes.ts';
import type { EffectSite } from './operations/operation.ts';
import { OPERATIONS, type RelayRequest } from './operations/operations.ts';
import type { ExpectedClaim, HasFollowed, Redemption, Relayed, RelayRecord } from './ports.ts';
import { byMarket, expectClaims } from './redemption-payouts.ts';
import type { RelayBook } from './relay-book.ts';
import type { RelayedCalls } from './relayed-calls.ts';
import type { Relayer, RelayTerms } from './relayer.ts';

export interface RelayerServiceOptions extends EffectSite {
  readonly book: RelayBook;
  readonly wallets: Pick<WalletReads, 'claims'>;
  readonly relayer: Relayer;
  readonly calls: RelayedCalls;
  readonly policy: CallPolicy;
  readonly claims: ClaimNotes;
  readonly sender: Pick<SenderPort, 'status'>;
  readonly hasFollowed: HasFollowed;
}

/** A relayed transaction as the API shows it. */
type RelayedView = Static<typeof RelayedTransaction>;

export class RelayerService {
  readonly #context: ChainContext;
  readonly #options: RelayerServiceOptions;

  constructor(context: ChainContext, options: RelayerServiceOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** `client` is the key of the address that asked. */
  async relay<Name extends RelayerOperation>(relayRequest: RelayRequest<Name>, client?: string): Promise<Relayed> {
    const { relayer, calls, claims, book } = this.#options;
    try {
      const view = await relayer.relay(calls.toCall(relayRequest), { ...this.#termsOf(relayRequest), client });
      const record = book.record(view.operationId);
      if (record !== undefined) await claims.follow(record, view);
      return {
        hash: view.hash ?? '',
        isConfirmed: (await this.#stageOf(relayRequest.operation, view)) === 'confirmed',
      };
    } catch (error) {
      return this.#doneByOthers(relayRequest, error);
    }
  }

  async transaction(hash: Hex): Promise<RelayedView | undefined> {
    const { book, sender } = this.#options;
    const record = book.byHash(hash);
    const view = record && sender.status(record.operationId);
    return record && view && this.#toTransaction(record, view);
  }

  #termsOf<Name extends RelayerOperation>({ operation: name, request }: RelayRequest<Name>): RelayTerms {
    const { check, redemptions } = OPERATIONS[name];
    const judge = () => check?.(request, this.#options.policy);
    return { judge, ...(redemptions && { expect: () => this.#expect(request.owner, redemptions(request)) }) };
  }

  async #expect(owner: Address, redemptions: readonly Redemption[]): Promise<readonly ExpectedClaim[]> {
    const { wallets, markets } = this.#options;
    // The policy has refused conditions of other markets.
    const parts = byMarket(redemptions, markets);
    const facts = parts.map(({ market }) => market);
    const { claims: states } = await askingChain(() => wallets.claims(owner, facts, 'pending'));
    const claims = expectClaims(parts, facts, states);
    if (claims.every(({ payout }) => payout === '0'))
      throw new PresageError('nothing_to_redeem', { owner: toChecksumAddress(owner) });
    return claims;
  }

  /** Treats a request that fails only because its effect exists already as a success. */
  async #doneByOthers<Name extends RelayerOperation>(
    { operation: name, request }: RelayRequest<Name>,
    error: unknown,
  ): Promise<Relayed> {
    if (!(error instanceof PresageError) || error.code !== 'simulation_failed') throw error;
    const { findEffect } = OPERATIONS[name];
    const reason = String(error.details?.reason);
    const hash = await askingChain(async () => findEffect?.(request, reason, this.#options));
    if (hash === undefined) throw error;
    return { hash, isConfirmed: true };
  }

  /**
   * Stage to report. A transaction counts as confirmed only when its effect, and its claims, can be read; pass `record` if its claims may
   * not be written yet.
   */
  async #stageOf(operation: RelayerOperation, view: OperationView, record?: RelayRecord): Promise<RelayedStage> {
    const { claims, hasFollowed } = this.#options;
    const { stage, blockNumber } = view;
    const areClaimsWritten = record === undefined || (await isDone(claims.follow(record, view)));
    if (stage !== 'confirmed' || OPERATIONS[operation].isReadOnChain || blockNumber === null) return toStage(stage);
    return areClaimsWritten && (await hasFollowed(blockNumber)) ? 'confirmed' : 'mined';
  }

  async #toTransaction(record: RelayRecord, view: OperationView): Promise<RelayedView> {
    const { operation, owner } = record;
    const { hash, blockNumber, reason } = view;
    const stage = await this.#stageOf(operation, view, record);
    const isReverted = view.stage === 'failed' && hash !== null && blockNumber !== null;
    return {
      found: true,
      txHash: hash ?? '0x',
      stage,
      status: stage === 'confirmed' || stage === 'failed' ? stage : 'pending',
      operation,
      owner: toChecksumAddress(owner),
      blockNumber,
      error: isReverted ? explainRefusal(await findRevertReason(this.#context.rpc, hash, blockNumber)) : reason,
    };
  }
}

function isDone(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function toStage(stage: OperationView['stage']): RelayedStage {
  if (stage === 'signed') return 'reserved';
  return stage === 'abandoned' ? 'failed' : stage;
}
