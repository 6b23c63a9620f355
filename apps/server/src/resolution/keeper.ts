// Ends markets that nobody else ends: settles an undisputed proposal half a minute after its window, voids markets long undecided.
import { type ContractCall, ContractReverted, type SenderPort, sendOnce } from '@presage/chain';
import {
  type Address,
  type Bytes32,
  isDecided,
  type JournalRecord,
  type MarketId,
  type MarketResolution,
  resolverOf,
} from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';

interface Due {
  readonly assertionId: Bytes32;
  /** Unix seconds, service time. */
  readonly at: number;
  /** Wall time of the next attempt; infinite while it is queued, which takes long on a chain that does not answer. */
  retryMs: number;
}

/** Delay before the keeper settles; leaves the first half minute to users who settle themselves. */
const TIMEOUT_SECONDS = 30;
const POLL_MS = 250;
/** Pause after a refused or failed attempt, which mostly means that somebody else has settled already. */
const RETRY_MS = 5_000;
/** Minimum age after expiration at which a market may be voided; younger ones are not checked. */
const LEAST_VOID_DELAY_SECONDS = 86_400;
const VOID_LOOK_SECONDS = 600;

export class Keeper {
  readonly #context: ChainContext;
  readonly #sender: SenderPort;
  /** Undisputed proposals by market, with their window running or over. */
  readonly #due = new Map<MarketId, Due>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Service time of the next check for markets that may be voided. */
  #nextVoidLook = 0;
  readonly #rounds = new SerialQueue();

  constructor(context: ChainContext, sender: SenderPort) {
    this.#context = context;
    this.#sender = sender;
    for (const { facts, resolution } of context.reads.activeMarkets()) {
      if (resolution !== undefined) this.#note(facts.marketId, resolution);
    }
  }

  /** Applies a durable record. */
  follow(record: JournalRecord): void {
    if (record.type === 'resolution-changed') this.#note(record.marketId, record.resolution);
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), POLL_MS);
  }

  /** Stops; waits only for the round in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#rounds.idle();
  }

  /** Notes a market's current assertion. One is enough: settling settles all assertions of a market that can be settled. */
  #note(marketId: MarketId, { status, assertion }: MarketResolution): void {
    if (status !== 'proposed' || assertion === undefined) {
      this.#due.delete(marketId);
      return;
    }
    const at = assertion.expirationTime + TIMEOUT_SECONDS;
    this.#due.set(marketId, { assertionId: assertion.id, at, retryMs: 0 });
  }

  #look(): void {
    const now = this.#context.clock.nowSeconds();
    if (now >= this.#nextVoidLook) {
      this.#nextVoidLook = now + VOID_LOOK_SECONDS;
      void this.#rounds.run(() => this.#voidAll(now));
    }
    const due = [...this.#due].filter(([, { at, retryMs }]) => at <= now && retryMs <= Date.now());
    if (due.length === 0) return;
    for (const [, each] of due) each.retryMs = Number.POSITIVE_INFINITY;
    void this.#rounds.run(() => this.#settleAll(due));
  }

  async #settleAll(markets: readonly (readonly [MarketId, Due])[]): Promise<void> {
    for (const [marketId, due] of markets) {
      if (this.#isClosed) return;
      await this.#settle(marketId, due).catch((error: unknown) => this.#onFailure(error));
      due.retryMs = Date.now() + RETRY_MS;
    }
  }

  async #settle(marketId: MarketId, due: Due): Promise<void> {
    const market = this.#context.reads.market(marketId);
    if (market === undefined || this.#due.get(marketId) !== due) return;
    const settle = this.#context.contracts.market(market.facts.contractAddress).call('settle', []);
    // The operation id is derived, so that a restart repeats the same settlement rather than sending another.
    await this.#sendOnce(`keeper-settle-${due.assertionId}`, settle);
  }

  async #voidAll(now: number): Promise<void> {
    for (const { facts, resolution, closeReason } of this.#context.reads.activeMarkets()) {
      if (this.#isClosed) return;
      const isOld = closeReason !== 'vanished' && facts.expiration + LEAST_VOID_DELAY_SECONDS < now;
      if (!isOld || facts.kind !== 'standard' || isDecided(resolution)) continue;
      await this.#void(resolverOf(facts), resolution, now).catch((error: unknown) => this.#onFailure(error));
    }
  }

  async #void(contract: Address, resolution: MarketResolution | undefined, now: number): Promise<void> {
    const market = this.#context.contracts.market(contract);
    if (BigInt(now) < (await market.read('voidableFrom', []))) return;
    await this.#settleDecided(market.call('settle', []), resolution).catch((error: unknown) => this.#onFailure(error));
    await this.#sendOnce(`keeper-void-${contract}`, market.call('void', []));
  }

  /** Settles a proposal that the oracle rejected and nobody settled: voiding would settle it, restart the delay, and so be too early. */
  async #settleDecided(settle: ContractCall, resolution: MarketResolution | undefined): Promise<void> {
    const { assertion, history = [] } = resolution ?? {};
    if (assertion === undefined) return;
    // The number of rejections is part of the id, since each one allows another settlement of the same first proposal.
    await this.#sendOnce(`keeper-settle-${assertion.id}-after-${history.length}`, settle);
  }

  /** Logs a failure, except a revert: that takes no nonce and means that somebody else was first, or the chain's clock is behind. */
  #onFailure(error: unknown): void {
    if (error instanceof ContractReverted) return;
    this.#context.log.warn({ error: String(error) }, 'keeper could not end a market; retrying');
  }

  async #sendOnce(name: string, call: ContractCall): Promise<void> {
    await sendOnce(this.#sender, { ...call, nameOf: (attempt) => `${name}-${attempt}` });
  }
}
