// Relays the permits of accepted orders in nonce order, before the fills of their wallets settle.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type ErrorCode, type PermitChanged, PresageError } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import { hasPermit, type PermitJudge, type PermitOutcome } from './permit-judge.ts';
import type { OrderWithPermit, RelayerRecord, RelayRecord } from './ports.ts';
import type { RelayedCalls } from './relayed-calls.ts';
import type { Relayer } from './relayer.ts';
import type { WaitingPermits } from './waiting-permits.ts';

export interface OrderPermitsOptions {
  readonly relayer: Relayer;
  readonly calls: RelayedCalls;
  readonly judge: PermitJudge;
  readonly journal: ChainLog['relays'];
  readonly waiting: WaitingPermits;
  /** Records of earlier runs; they include orders whose permits are finished. */
  readonly records: readonly RelayerRecord[];
}

const RETRY_MS = 500;
/** Errors that are retried. Budget errors are not: the fills of a wallet would wait for its permit for an hour. */
const MAY_PASS: readonly ErrorCode[] = ['chain_unavailable', 'overloaded', 'rate_limited', 'journal_unavailable'];

export class OrderPermits {
  readonly #context: ChainContext;
  readonly #options: OrderPermitsOptions;
  #isClosed = false;

  constructor(context: ChainContext, options: OrderPermitsOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Starts with permits that earlier runs accepted and did not finish. */
  start(): void {
    const { reads } = this.#context;
    const ended = this.#options.records.filter((record) => record.kind === 'permit-ended');
    const endedHashes = new Set(ended.map(({ orderHash }) => orderHash));
    const traded = reads.unsettledTrades().flatMap(({ makerHash, takerHash }) => [makerHash, takerHash]);
    const open = reads.openOrders({ hasPermit: true }).map(({ signed }) => signed.orderHash);
    const hashes = new Set([...open, ...traded]);
    for (const hash of hashes) {
      const signed = reads.order(hash)?.signed;
      if (signed !== undefined && hasPermit(signed) && !endedHashes.has(hash)) this.add(signed);
    }
  }

  /** Called when an order with a permit became durable. */
  add(signed: OrderWithPermit): void {
    if (this.#options.waiting.add(signed)) void this.#work(signed.order.trader);
  }

  close(): void {
    this.#isClosed = true;
  }

  async #work(trader: Address): Promise<void> {
    const { waiting } = this.#options;
    // Permits accepted in one turn are sorted before the first is sent.
    await sleep(0);
    for (let next = waiting.next(trader); next !== undefined; next = waiting.next(trader)) {
      if (this.#isClosed) return;
      await this.#retry(() => this.#relay(next));
      waiting.remove(next);
    }
    if (!this.#isClosed) waiting.release(trader);
  }

  async #retry(step: () => Promise<void>): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await step();
      } catch (error) {
        this.#context.log.warn({ error: String(error) }, 'permit of an order could not be relayed; retrying');
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** Relays one permit. Throws only temporary errors: an unreachable chain, overload or a shutdown. */
  async #relay(signed: OrderWithPermit): Promise<void> {
    const { judge, relayer, calls, waiting } = this.#options;
    const skipped = await judge.findObstacle(signed);
    if (skipped !== undefined) return this.#finish(signed, skipped);
    try {
      const call = calls.toOrderPermit(signed.order.trader, signed.permit);
      const record = await relayer.admit(call, { timeoutMs: Number.POSITIVE_INFINITY });
      const { stage, hash } = await relayer.out(record);
      if (stage === 'submitted' && hash !== null) await this.#publish(signed, { status: 'submitted', txHash: hash });
      // From here on the chain state that fills are judged by includes the effect of the permit, if any, unless a reorganization drops its block.
      await relayer.mined(record);
      waiting.addUnconfirmed(signed);
      void this.#retry(() => this.#conclude(signed, record));
    } catch (error) {
      if (!(error instanceof PresageError) || MAY_PASS.includes(error.code)) throw error;
      await this.#finish(signed, await judge.explain(signed, error));
    }
  }

  async #conclude(signed: OrderWithPermit, record: RelayRecord): Promise<void> {
    const { relayer, judge, waiting } = this.#options;
    const { stage, hash, reason } = await relayer.decided(record);
    // Removed before its end is published, since a wallet whose permit failed is judged again then.
    waiting.removeDecided(signed);
    if (stage === 'confirmed' && hash !== null) return this.#finish(signed, { status: 'confirmed', txHash: hash });
    const reverted = new PresageError('simulation_failed', { reason: reason ?? 'the transaction reverted' });
    await this.#finish(signed, await judge.explain(signed, reverted));
  }

  async #finish(signed: OrderWithPermit, outcome: PermitOutcome): Promise<void> {
    await this.#publish(signed, outcome);
    await this.#options.journal.append({ kind: 'permit-ended', orderHash: signed.orderHash });
  }

  #publish({ orderHash, order }: OrderWithPermit, outcome: PermitOutcome): Promise<void> {
    const { note, clock } = this.#context;
    const record: PermitChanged = {
      type: 'permit-changed',
      timeMs: clock.nowMs(),
      marketId: order.marketId,
      orderHash,
      ...outcome,
    };
    return note(record);
  }
}
