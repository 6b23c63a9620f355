// The ports of admission with the real engine behind them: what the host does, without its journal.
import { Engine, toOrderAnswer } from '@presage/engine';
import {
  batchNotFilled,
  type MarketFacts,
  type MarketId,
  type OrderAnswer,
  PresageError,
  type SignedOrder,
} from '@presage/protocol';
import { marketFacts } from '@presage/testkit';
import type {
  AdmissionReads,
  CommandPort,
  FundsAssessor,
  FundsCheck,
  HaltLookup,
  PlacedOrder,
  StopLookup,
} from '../../src/admission/ports.ts';
import { NOW } from './signed-bodies.ts';

export class EngineCommandPort implements CommandPort {
  now = NOW;
  /** Lower-case addresses of wallets that cannot pay. */
  readonly poor = new Set<string>();
  /** Lower-case addresses of wallets that have stopped all their orders on the chain. */
  readonly halted = new Set<string>();
  /** Lower-case addresses of wallets, and ids of markets, that an operator has stopped. */
  readonly stopped = new Set<string>();
  readonly accepted: SignedOrder[] = [];
  readonly #engine = new Engine();
  readonly #answers = new Map<string, OrderAnswer>();

  readonly clock = { nowSeconds: () => this.now };
  readonly reads: AdmissionReads = {
    market: (marketId) => this.#engine.market(marketId),
    firstAnswer: ({ orderHash, signature }) => this.#answers.get(`${orderHash} ${signature}`),
  };
  readonly halts: HaltLookup = { effectiveAfter: (trader) => (this.halted.has(trader) ? NOW + 300 : undefined) };
  readonly stops: StopLookup = {
    checkMarket: (marketId) => (this.stopped.has(marketId) ? { code: 'market_paused' } : undefined),
    checkTrader: (trader) => (this.stopped.has(trader) ? { code: 'wallet_blocked' } : undefined),
  };
  readonly funds: FundsCheck = {
    check: async ({ order }) => (this.poor.has(order.trader) ? { code: 'insufficient_balance' } : undefined),
    release: () => undefined,
    isNonceUsed: ({ order: { trader, nonce } }) =>
      this.accepted.some(({ order }) => order.trader === trader && order.nonce === nonce),
  };
  readonly assessor: FundsCheck & FundsAssessor = {
    ...this.funds,
    assess: async (signed) => ({ funds: undefined, fault: await this.funds.check(signed) }),
  };

  openOrders(filter: Parameters<Engine['openOrders']>[0]): ReturnType<Engine['openOrders']> {
    return this.#engine.openOrders(filter);
  }

  list(facts: Partial<MarketFacts>): void {
    this.#engine.apply({ type: 'list-market', timeMs: this.#timeMs, market: marketFacts(facts) });
  }

  close(marketId: MarketId): void {
    this.#engine.apply({ type: 'close-market', timeMs: this.#timeMs, marketId, reason: 'vanished' });
  }

  async placeOrder(signed: SignedOrder): Promise<PlacedOrder> {
    const firstSeq = this.#engine.lastSeq + 1;
    const outputs = this.#engine.apply({ type: 'place-order', timeMs: this.#timeMs, ...signed });
    const [first] = outputs;
    if (first?.type === 'command-refused') throw new PresageError(first.code, first.details);
    const answer = toOrderAnswer(outputs, firstSeq)!;
    const replayed = first?.type === 'order-replayed';
    if (!replayed) this.accepted.push(signed);
    // As behind a journal: known to others only some turns after it was decided.
    await new Promise((resolve) => setImmediate(resolve));
    this.#answers.set(`${signed.orderHash} ${signed.signature}`, answer);
    return { answer, replayed };
  }

  async placeAtomic(orders: readonly SignedOrder[]): Promise<PlacedOrder[]> {
    const commands = orders.map((signed) => ({ type: 'place-order' as const, timeMs: this.#timeMs, ...signed }));
    const trial = this.#engine.tryAll(commands);
    if (trial.outcome === 'refused') throw batchNotFilled(trial.index, trial.refusal);
    return Promise.all(orders.map((signed) => this.placeOrder(signed)));
  }

  get #timeMs(): number {
    return this.now * 1000;
  }
}
