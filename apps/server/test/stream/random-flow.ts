// Random operations on one market through the host: orders, cancels, settlement moves and failures, all from one seed.
import {
  type Address,
  DEFAULT_TERMS,
  type OrderHash,
  type Outcome,
  type Side,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { placeOrder, SeededRandom, TEST_MARKET, TRADERS } from '@presage/testkit';
import type { HostCommand } from '../../src/host/ports.ts';
import type { StreamFixture } from './stream-fixture.ts';

const WALLETS: readonly Address[] = Object.values(TRADERS);
const KINDS = { place: 70, cancel: 18, move: 8, fail: 3, cancelAll: 1 } as const;
const NEXT_STAGE = { matched: 'submitted', submitted: 'mined', mined: 'confirmed' } as const;
const DAY_SECONDS = 86_400;

export class RandomFlow {
  readonly #fixture: StreamFixture;
  readonly #random: SeededRandom;
  readonly #placed: OrderHash[] = [];
  readonly #unsettled: { readonly tradeId: string; readonly stage: keyof typeof NEXT_STAGE }[] = [];
  #nonce = 0n;

  constructor(fixture: StreamFixture, seed: number) {
    this.#fixture = fixture;
    this.#random = new SeededRandom(seed);
  }

  /** Refusals are part of it: they must not show. */
  async step(): Promise<void> {
    this.#fixture.clock.advanceMs(this.#random.int(0, 5));
    for (const output of await this.#fixture.host.submit(this.#next())) {
      if (output.type === 'trade-matched') this.#unsettled.push({ tradeId: output.tradeId, stage: 'matched' });
    }
  }

  /** So many at once, as a batch of orders comes. */
  async burst(size: number): Promise<void> {
    await Promise.all(Array.from({ length: size }, () => this.step()));
  }

  #next(): HostCommand {
    const kind = this.#random.weighted(KINDS);
    if (kind === 'cancel' && this.#placed.length > 0) {
      const orderHash = this.#random.pick(this.#placed.slice(-200));
      return { type: 'cancel-order', marketId: TEST_MARKET, orderHash, reason: 'user' };
    }
    if (kind === 'cancelAll') {
      const trader = this.#random.pick(WALLETS);
      return { type: 'cancel-orders', trader, marketId: TEST_MARKET, reason: 'heartbeat_lapsed' };
    }
    return (kind === 'move' || kind === 'fail' ? this.#settle(kind) : undefined) ?? this.#place();
  }

  #place(): HostCommand {
    const order = {
      marketId: TEST_MARKET,
      trader: this.#random.pick(WALLETS),
      nonce: ++this.#nonce,
      side: this.#random.int(0, 1) as Side,
      outcome: this.#random.int(0, 1) as Outcome,
      price: toPrice(this.#random.int(470_000, 530_000)),
      size: toSize(this.#random.chance(0.02) ? Number.MAX_SAFE_INTEGER : this.#random.int(1, 9_000_000)),
      expiration: BigInt(this.#fixture.clock.nowSeconds + DAY_SECONDS),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const timeInForce = this.#random.pick(['GTC', 'GTC', 'GTC', 'IOC', 'FOK'] as const);
    const command = placeOrder(order, { ...DEFAULT_TERMS, timeInForce, timeMs: 0 });
    this.#placed.push(command.orderHash);
    return command;
  }

  #settle(kind: 'move' | 'fail'): HostCommand | undefined {
    const trade = this.#unsettled.shift();
    if (trade === undefined) return undefined;
    const name = { marketId: TEST_MARKET, tradeId: trade.tradeId };
    if (kind === 'fail') {
      const faultParty = this.#random.pick(['buyer', 'seller', 'operator'] as const);
      return { type: 'fail-trade', ...name, faultParty, reason: 'a test says so' };
    }
    const stage = NEXT_STAGE[trade.stage];
    if (stage !== 'confirmed') this.#unsettled.unshift({ tradeId: trade.tradeId, stage });
    return { type: 'move-trade', ...name, stage };
  }
}
