// Ends markets that nobody ended: settles an undisputed proposal half a minute after its window, voids what stays undecided for long.
import { type ContractCall, ContractReverted, type Contracts, type SenderPort } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import {
  type Address,
  type Bytes32,
  isDecided,
  type JournalRecord,
  type MarketId,
  type MarketResolution,
} from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';

export interface KeeperOptions {
  readonly chainId: number;
  readonly contracts: Pick<Contracts, 'market'>;
  readonly reads: { market(id: MarketId): MarketView | undefined; markets(): MarketView[] };
  readonly sender: SenderPort;
  readonly nowSeconds: () => number;
  readonly onTrouble: (error: unknown) => void;
  readonly pollMs?: number;
}

interface Due {
  readonly assertionId: Bytes32;
  /** Unix seconds, service time. */
  readonly at: number;
  /** Wall time before which nothing is tried again. */
  retryMs: number;
}

/** The first half minute is for users who settle themselves. */
const TIMEOUT_SECONDS = 30;
const POLL_MS = 250;
/** A refused or failed attempt is mostly one that somebody else has made superfluous. */
const RETRY_MS = 5_000;
/** No market can be voided so soon after its expiration, so none is asked about. */
const LEAST_VOID_DELAY_SECONDS = 86_400;
const VOID_LOOK_SECONDS = 600;

export class Keeper {
  readonly #options: KeeperOptions;
  /** By market: those whose window runs or has ended, undisputed. */
  readonly #due = new Map<MarketId, Due>();
  #timer: NodeJS.Timeout | undefined;
  /** Service time of the next look for markets that may be voided. */
  #nextVoidLook = 0;
  readonly #rounds = new SerialQueue();

  constructor(options: KeeperOptions) {
    this.#options = options;
    for (const { facts, resolution } of options.reads.markets()) {
      if (resolution !== undefined) this.#note(facts.marketId, resolution);
    }
  }

  /** Durable records only. */
  follow(record: JournalRecord): void {
    if (record.type === 'resolution-changed') this.#note(record.marketId, record.resolution);
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), this.#options.pollMs ?? POLL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#rounds.idle();
  }

  #note(marketId: MarketId, { status, assertion }: MarketResolution): void {
    if (status !== 'proposed' || assertion === undefined) {
      this.#due.delete(marketId);
      return;
    }
    const at = assertion.expirationTime + TIMEOUT_SECONDS;
    this.#due.set(marketId, { assertionId: assertion.id, at, retryMs: 0 });
  }

  #look(): void {
    const now = this.#options.nowSeconds();
    if (now >= this.#nextVoidLook) {
      this.#nextVoidLook = now + VOID_LOOK_SECONDS;
      void this.#rounds.run(() => this.#voidAll(now));
    }
    const due = [...this.#due].filter(([, { at, retryMs }]) => at <= now && retryMs <= Date.now());
    if (due.length === 0) return;
    for (const [, each] of due) each.retryMs = Date.now() + RETRY_MS;
    void this.#rounds.run(() => this.#settleAll(due));
  }

  async #settleAll(markets: readonly (readonly [MarketId, Due])[]): Promise<void> {
    for (const [marketId, due] of markets) {
      const market = this.#options.reads.market(marketId);
      if (market === undefined || this.#due.get(marketId) !== due) continue;
      if (market.facts.chainId !== this.#options.chainId) continue;
      await this.#settle(market.facts.contractAddress, due.assertionId).catch((error: unknown) =>
        this.#onFailure(error),
      );
    }
  }

  async #voidAll(now: number): Promise<void> {
    const { chainId, reads } = this.#options;
    for (const { facts, resolution, closeReason } of reads.markets()) {
      const isOld = closeReason !== 'vanished' && facts.expiration + LEAST_VOID_DELAY_SECONDS < now;
      if (!isOld || facts.kind !== 'standard' || facts.chainId !== chainId || isDecided(resolution)) continue;
      await this.#void(facts.contractAddress, now).catch((error: unknown) => this.#onFailure(error));
    }
  }

  async #void(contract: Address, now: number): Promise<void> {
    const market = this.#options.contracts.market(contract);
    if (BigInt(now) < (await market.read('voidableFrom', []))) return;
    await this.#sendOnce(`keeper-void-${contract}`, market.call('void', []));
  }

  /** What would revert takes no nonce: somebody else was first, or the chain's clock is not there yet. */
  #onFailure(error: unknown): void {
    if (!(error instanceof ContractReverted)) this.#options.onTrouble(error);
  }

  /** Its id is known before it is sent: after a restart the same settlement is asked for, not another one. */
  async #settle(contract: Address, assertionId: Bytes32): Promise<void> {
    const settle = this.#options.contracts.market(contract).call('settle', []);
    await this.#sendOnce(`keeper-settle-${assertionId}`, settle);
  }

  async #sendOnce(name: string, call: ContractCall): Promise<void> {
    const { sender } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const operationId = `${name}-${attempt}`;
      const former = sender.status(operationId);
      const isOver = former?.stage === 'failed' || former?.stage === 'abandoned';
      if (isOver) continue;
      if (former === undefined) await sender.enqueue({ operationId, ...call });
      return;
    }
  }
}
