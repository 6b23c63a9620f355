// An engine with one open market, a clock and traders: the fixture of most tests.
import { Engine, toOrderAnswer } from '@presage/engine';
import {
  type EngineCommand,
  type EngineOutput,
  type FaultParty,
  isJournalled,
  type MarketFacts,
  type OrderAnswer,
  type OrderHash,
  type Outcome,
  type PlaceOrder,
  type TradeParty,
  type TradeStage,
  YES,
} from '@presage/protocol';
import {
  createOrderBuilders,
  drawLadder,
  drawStep,
  listMarket,
  ManualClock,
  type OrderBuilders,
  TEST_MARKET,
} from '@presage/testkit';

type Unstamped = EngineCommand extends infer Each ? (Each extends EngineCommand ? Omit<Each, 'timeMs'> : never) : never;

export class Exchange {
  readonly clock = new ManualClock();
  readonly engine = new Engine();
  readonly traders: OrderBuilders = createOrderBuilders(this.clock);

  constructor(facts: Partial<MarketFacts> = {}) {
    this.engine.apply(listMarket(this.clock.nowMs, facts));
  }

  /** Applies the command now, whenever it was written. */
  send(command: Unstamped | EngineCommand): EngineOutput[] {
    return this.engine.apply({ ...command, timeMs: this.clock.nowMs } as EngineCommand);
  }

  /** What placing it is answered with; undefined when it is refused. */
  answerTo(order: PlaceOrder): OrderAnswer | undefined {
    const firstSeq = this.engine.lastSeq + 1;
    return toOrderAnswer(this.send(order), firstSeq);
  }

  /** For setting up a test: throws when something is refused. */
  place(...orders: PlaceOrder[]): void {
    for (const order of orders) {
      const refused = this.send(order).find((output) => !isJournalled(output));
      if (refused !== undefined) throw new Error(`the scene does not stand: ${JSON.stringify(refused)}`);
    }
  }

  cancel(order: PlaceOrder): EngineOutput[] {
    const { marketId } = order.order;
    return this.send({ type: 'cancel-order', marketId, orderHash: order.orderHash, reason: 'user' });
  }

  tick(): EngineOutput[] {
    return this.send({ type: 'tick' });
  }

  move(count: number, ...stages: Exclude<TradeStage, 'matched' | 'failed'>[]): EngineOutput[] {
    const tradeId = tradeIdOf(count);
    return stages.flatMap((stage) => this.send({ type: 'move-trade', marketId: TEST_MARKET, tradeId, stage }));
  }

  fail(count: number, faultParty: FaultParty): EngineOutput[] {
    const tradeId = tradeIdOf(count);
    return this.send({ type: 'fail-trade', marketId: TEST_MARKET, tradeId, faultParty, reason: 'no balance' });
  }

  /** The chain has filled the order of one party already; nobody is to blame. */
  failOverfilled(count: number, overfilled: TradeParty): EngineOutput[] {
    const [tradeId, reason] = [tradeIdOf(count), 'filled already'];
    const fault = { faultParty: 'chain', reason, overfilled } as const;
    return this.send({ type: 'fail-trade', marketId: TEST_MARKET, tradeId, ...fault });
  }

  /** The picture: the book, what one command did to it, and the book again. */
  show(command: Unstamped | EngineCommand | (() => EngineOutput[]), outcome: Outcome = YES): string {
    const before = drawLadder(this.engine, { outcome });
    const outputs = typeof command === 'function' ? command() : this.send(command);
    return `${before}${drawStep(outputs, this.engine)}${drawLadder(this.engine, { outcome })}`;
  }

  statusOf(order: PlaceOrder): string | undefined {
    return this.engine.order(order.orderHash)?.status;
  }

  knows(hash: OrderHash): boolean {
    return this.engine.order(hash) !== undefined;
  }
}

export function tradeIdOf(count: number): string {
  return `${TEST_MARKET.slice(2, 18)}-${count}`;
}

export function refusalIn(outputs: readonly EngineOutput[]): string | undefined {
  const [first] = outputs;
  return first?.type === 'command-refused' ? first.code : undefined;
}
