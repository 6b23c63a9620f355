// The relayer at the counter: a wish becomes a call, the call a transaction, and its fate an answer.
import type { Contracts, OperationView, Rpc } from '@presage/chain';
import {
  type Hex,
  isDecided,
  type MarketFacts,
  PresageError,
  type Redemption,
  type RelayedStage,
  type SettleMarketRequest,
} from '@presage/protocol';
import { poll } from '@presage/runtime';
import type { RelayedTransactionView, RelayerPort } from '../api/routes/relayer.ts';
import type { CallPolicy } from './call-policy.ts';
import { askingChain, findRevertReason } from './call-simulation.ts';
import type { ClaimNotes } from './claim-notes.ts';
import type { ExpectedClaim, Relayed, RelayerMarkets, RelayRecord, RelayRequest } from './ports.ts';
import { expectClaims, readConditions } from './redemption-payouts.ts';
import type { RelayedCalls } from './relayed-calls.ts';
import type { Relayer, RelayTerms } from './relayer.ts';
import { findUsedPermit, type PermitSite } from './used-permit.ts';

export interface RelayerServiceOptions {
  readonly chainId: number;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
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

export class RelayerService implements RelayerPort {
  readonly #options: RelayerServiceOptions;

  constructor(options: RelayerServiceOptions) {
    this.#options = options;
  }

  async relay(wish: RelayRequest): Promise<Relayed> {
    const { chainId, relayer, calls, claims } = this.#options;
    if (wish.request.chainId !== BigInt(chainId)) {
      throw new PresageError('no_relayer_for_chain', { chainId: wish.request.chainId, served: [chainId] });
    }
    try {
      const view = await relayer.relay(calls.toCall(wish), this.#termsOf(wish));
      const record = relayer.book.record(view.operationId);
      if (record !== undefined) await claims.follow(record, view);
      return { hash: view.hash ?? '', isConfirmed: view.stage === 'confirmed' };
    } catch (error) {
      return this.#doneByOthers(wish, error);
    }
  }

  async transaction(hash: Hex): Promise<RelayedTransactionView | undefined> {
    const { relayer, statusOf } = this.#options;
    const record = relayer.book.byHash(hash);
    const view = record && statusOf(record.operationId);
    return view === undefined ? undefined : this.#toTransaction(record as RelayRecord, view);
  }

  #termsOf(wish: RelayRequest): RelayTerms {
    const judge = () => this.#options.policy.check(wish);
    if (wish.operation === 'ctf-redemption') return { judge, expect: () => this.#expect(wish.request, [wish.request]) };
    if (wish.operation !== 'batch-ctf-redemption') return { judge };
    return { judge, expect: () => this.#expect(wish.request, wish.request.redemptions) };
  }

  async #expect(
    { owner }: Pick<RelayRequest['request'], 'owner'>,
    redemptions: readonly Pick<Redemption, 'conditionId' | 'indexSets'>[],
  ): Promise<readonly ExpectedClaim[]> {
    const { contracts, markets } = this.#options;
    const facts = redemptions.map(({ conditionId }) => markets.find(conditionId) as MarketFacts);
    const states = await askingChain(() => readConditions(contracts, owner, facts));
    const claims = expectClaims(redemptions, facts, states);
    if (claims.every(({ payout }) => payout === '0')) throw new PresageError('nothing_to_redeem', { owner });
    return claims;
  }

  /** What would fail only because it has its effect already is a success. */
  async #doneByOthers(wish: RelayRequest, error: unknown): Promise<Relayed> {
    if (!(error instanceof PresageError) || error.code !== 'simulation_failed') throw error;
    const hash = await this.#effectOf(wish, String(error.details?.reason));
    if (hash === undefined) throw error;
    return { hash, isConfirmed: true };
  }

  async #effectOf(wish: RelayRequest, reason: string): Promise<Hex | '' | undefined> {
    if (wish.operation === 'stablecoin-permit') {
      return askingChain(() => findUsedPermit(this.#options.permits, wish.request));
    }
    const isSettled = wish.operation === 'settle-market' && reason.startsWith('MarketAlreadyResolved');
    return isSettled ? this.#settledBy(wish.request) : undefined;
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
    return decided?.winningOutcome === winningOutcome ? decided.resolvedAt?.transactionHash : undefined;
  }

  async #toTransaction(record: RelayRecord, view: OperationView): Promise<RelayedTransactionView> {
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
