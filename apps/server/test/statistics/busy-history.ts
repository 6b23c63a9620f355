// A long random life of an exchange, from one seed: orders, cancels, expirations, settlements and failures, through the real host.
import { TRADE_MOVES } from '@presage/engine';
import {
  type Address,
  DEFAULT_TERMS,
  type EngineOutput,
  FAULT_PARTIES,
  type MarketFacts,
  type OrderHash,
  type Outcome,
  type Side,
  type TradeSettlement,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { type ManualClock, placeOrder, type SeededRandom } from '@presage/testkit';
import type { Host } from '../../src/host/host.ts';
import type { HostCommand } from '../../src/host/ports.ts';

export interface HistoryOptions {
  readonly host: Host;
  readonly clock: ManualClock;
  readonly random: SeededRandom;
  readonly markets: readonly MarketFacts[];
  readonly wallets: readonly Address[];
  readonly orders: number;
}

/** Commands that become durable together, as those of a busy moment do. */
const GROUP = 40;

export class BusyHistory {
  readonly #options: HistoryOptions;
  readonly #placed: { marketId: `0x${string}`; orderHash: OrderHash }[] = [];
  readonly #trades: { marketId: `0x${string}`; tradeId: string }[] = [];
  #pending: Promise<readonly EngineOutput[]>[] = [];
  #accepted = 0;
  #nonce = 0n;
  #block = 100;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** Answers how many orders were accepted: at least as many as asked for. */
  async play(): Promise<number> {
    const { random, orders } = this.#options;
    while (this.#accepted < orders) {
      const act = random.weighted({ place: 10, cancel: 1, move: 12, wait: 1 });
      this[`_${act}`]();
      if (this.#pending.length >= GROUP) await this.#settle();
    }
    await this.#settle();
    return this.#accepted;
  }

  _place(): void {
    const { random, markets, wallets, clock } = this.#options;
    const isOdd = random.chance(0.3);
    const order = {
      marketId: random.pick(markets).marketId,
      trader: random.pick(wallets),
      side: random.int(0, 1) as Side,
      outcome: random.int(0, 1) as Outcome,
      price: toPrice(isOdd ? random.int(1, 999_999) : random.int(45, 55) * 10_000),
      // Now and then so large that sums pass 2^53.
      size: toSize(
        random.chance(0.03) ? Number.MAX_SAFE_INTEGER : random.int(1, isOdd ? 9_999_999 : 20) * (isOdd ? 1 : 500_000),
      ),
      nonce: ++this.#nonce,
      expiration: BigInt(clock.nowSeconds + random.int(60, 200_000)),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const timeInForce = random.weighted({ GTC: 8, IOC: 1, FOK: 1 });
    const selfTradePrevention = random.weighted({ none: 8, cancel_resting: 1, cancel_incoming: 1 });
    const { timeMs: _stamped, ...command } = placeOrder(order, {
      ...DEFAULT_TERMS,
      timeInForce,
      selfTradePrevention,
      timeMs: clock.nowMs,
    });
    this.#placed.push({ marketId: order.marketId, orderHash: command.orderHash });
    this.#submit(command);
  }

  _cancel(): void {
    if (this.#placed.length === 0) return;
    this.#submit({ type: 'cancel-order', ...this.#options.random.pick(this.#placed), reason: 'user' });
  }

  /** Now and then hours, so that orders expire, days roll over and candles are separate. */
  _wait(): void {
    const { random, clock } = this.#options;
    clock.advanceMs(random.chance(0.08) ? random.int(1, 4) * 3_600_000 : random.int(1, 40_000));
    this.#block++;
    this.#submit({ type: 'tick' });
  }

  /** Old trades more often than new ones, so that most reach their final stage. */
  _move(): void {
    const { random, host } = this.#options;
    const named = this.#trades[Math.floor(random.fraction() ** 2 * this.#trades.length)];
    const trade = named && host.reads.trade(named.marketId, named.tradeId);
    if (named === undefined || trade === undefined || (trade.stage === 'confirmed' && random.chance(0.95))) return;
    const stage = random.pick(TRADE_MOVES[trade.stage]);
    const settlement = this.#settlement(trade.size, stage === 'mined', trade.settlement);
    if (stage !== 'failed') {
      this.#submit({ type: 'move-trade', ...named, stage: stage as 'mined', settlement });
    } else if (random.chance(0.2)) {
      const faultParty = random.pick(FAULT_PARTIES);
      this.#submit({ type: 'fail-trade', ...named, faultParty, reason: `the ${faultParty} is "broke"` });
    }
  }

  #settlement(size: number, isMined: boolean, former: TradeSettlement | undefined): TradeSettlement {
    const { random } = this.#options;
    const sent = { batchIndex: random.int(0, 9), isBatch: true, attempt: (former?.attempt ?? 0) + 1 };
    const settlement = { ...sent, transactionHash: former?.transactionHash ?? random.hex(32) };
    if (!isMined) return settlement;
    // Not always what the view computed: the chain decides what was minted.
    const minted = random.pick([undefined, undefined, 0, size, random.int(0, size)]);
    return { ...settlement, blockNumber: this.#block, ...(minted !== undefined && { minted }) };
  }

  #submit(command: HostCommand): void {
    this.#pending.push(this.#options.host.submit(command));
  }

  async #settle(): Promise<void> {
    for (const output of (await Promise.all(this.#pending.splice(0))).flat()) {
      if (output.type === 'order-accepted') this.#accepted++;
      if (output.type === 'trade-matched') this.#trades.push({ marketId: output.marketId, tradeId: output.tradeId });
    }
  }
}
