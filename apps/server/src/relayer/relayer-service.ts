// The relayer as the API calls it: a request becomes a call, the call a transaction, and its outcome an answer.
import type { OperationView, Rpc } from '@presage/chain';
import {
  HALF,
  type Hex,
  isDecided,
  type MarketFacts,
  PresageError,
  type Redemption,
  type RelayedStage,
  type SettleMarketRequest,
} from '@presage/protocol';
import { poll } from '@presage/runtime';
import type { CallPolicy } from './call-policy.ts';
import { askingChain, findRevertReason } from './call-simulation.ts';
import type { ClaimNotes } from './claim-notes.ts';
import type {
  ExpectedClaim,
  PendingReads,
  Relayed,
  RelayedTransaction,
  RelayerMarkets,
  RelayRecord,
  RelayRequest,
} from './ports.ts';
import { expectClaims } from './redemption-payouts.ts';
import type { RelayedCalls } from './relayed-calls.ts';
import type { Relayer, RelayTerms } from './relayer.ts';
import { findUsedPermit, type PermitSite } from './used-permit.ts';

export interface RelayerServiceOptions {
  readonly rpc: Rpc;
  readonly wallets: Pick<PendingReads, 'claims'>;
  readonly relayer: Relayer;
  readonly calls: RelayedCalls;
  readonly policy: CallPolicy;
  readonly claims: ClaimNotes;
  readonly markets: RelayerMarkets;
  readonly permits: PermitSite;
  readonly statusOf: (operationId: string) => OperationView | undefined;
}

const INDEXER_TIMEOUT_MS = 5_000;
const POLL_MS = 50;

const STAGES: Readonly<Record<OperationView['stage'], RelayedStage>> = {
  reserved: 'reserved',
  signed: 'reserved',
  submitted: 'submitted',
  mined: 'mined',
  confirmed: 'confirmed',
  retrying: 'retrying',
  failed: 'failed',
  abandoned: 'failed',
};

export class RelayerService {
  readonly #options: RelayerServiceOptions;

  constructor(options: RelayerServiceOptions) {
    this.#options = options;
  }

  async relay(relayRequest: RelayRequest): Promise<Relayed> {
    const { relayer, calls, claims } = this.#options;
    try {
      const view = await relayer.relay(calls.toCall(relayRequest), this.#termsOf(relayRequest));
      const record = relayer.book.record(view.operationId);
      if (record !== undefined) await claims.follow(record, view);
      return { hash: view.hash ?? '', isConfirmed: view.stage === 'confirmed' };
    } catch (error) {
      return this.#doneByOthers(relayRequest, error);
    }
  }

  async transaction(hash: Hex): Promise<RelayedTransaction | undefined> {
    const { relayer, statusOf } = this.#options;
    const record = relayer.book.byHash(hash);
    const view = record && statusOf(record.operationId);
    return view === undefined ? undefined : this.#toTransaction(record as RelayRecord, view);
  }

  #termsOf(relayRequest: RelayRequest): RelayTerms {
    const judge = () => this.#options.policy.check(relayRequest);
    if (relayRequest.operation === 'ctf-redemption')
      return { judge, expect: () => this.#expect(relayRequest.request, [relayRequest.request]) };
    if (relayRequest.operation !== 'batch-ctf-redemption') return { judge };
    return { judge, expect: () => this.#expect(relayRequest.request, relayRequest.request.redemptions) };
  }

  async #expect(
    { owner }: Pick<RelayRequest['request'], 'owner'>,
    redemptions: readonly Pick<Redemption, 'conditionId' | 'indexSets'>[],
  ): Promise<readonly ExpectedClaim[]> {
    const { wallets, markets } = this.#options;
    const facts = redemptions.map(({ conditionId }) => markets.find(conditionId) as MarketFacts);
    const { claims: states } = await askingChain(() => wallets.claims(owner, facts, 'pending'));
    const claims = expectClaims(redemptions, facts, states);
    if (claims.every(({ payout }) => payout === '0')) throw new PresageError('nothing_to_redeem', { owner });
    return claims;
  }

  /** What would fail only because it has its effect already is a success. */
  async #doneByOthers(relayRequest: RelayRequest, error: unknown): Promise<Relayed> {
    if (!(error instanceof PresageError) || error.code !== 'simulation_failed') throw error;
    const hash = await this.#effectOf(relayRequest, String(error.details?.reason));
    if (hash === undefined) throw error;
    return { hash, isConfirmed: true };
  }

  async #effectOf(relayRequest: RelayRequest, reason: string): Promise<Hex | '' | undefined> {
    if (relayRequest.operation === 'stablecoin-permit') {
      return askingChain(() => findUsedPermit(this.#options.permits, relayRequest.request));
    }
    const isSettled = relayRequest.operation === 'settle-market' && reason.startsWith('MarketAlreadyResolved');
    return isSettled ? this.#settledBy(relayRequest.request) : undefined;
  }

  /** The chain may know of it a moment before the journal does. */
  async #settledBy({ marketAddress, winningOutcome }: SettleMarketRequest): Promise<Hex | undefined> {
    const { markets } = this.#options;
    const findDecided = () => {
      const market = markets.at(marketAddress);
      const resolution = market && markets.resolution(market.marketId);
      return isDecided(resolution) && resolution;
    };
    const decided = await poll(findDecided, { timeoutMs: INDEXER_TIMEOUT_MS, pollMs: POLL_MS });
    const outcome = decided && (decided.winningOutcome ?? HALF);
    return outcome === winningOutcome ? decided?.resolvedAt?.transactionHash : undefined;
  }

  async #toTransaction(record: RelayRecord, view: OperationView): Promise<RelayedTransaction> {
    const { operation, owner } = record;
    const { hash, blockNumber, reason } = view;
    const stage = STAGES[view.stage];
    const isReverted = view.stage === 'failed' && hash !== null && blockNumber !== null;
    return {
      hash: hash ?? '0x',
      stage,
      status: stage === 'confirmed' || stage === 'failed' ? stage : 'pending',
      operation,
      owner,
      blockNumber,
      error: isReverted ? await findRevertReason(this.#options.rpc, hash, blockNumber) : reason,
    };
  }
}
