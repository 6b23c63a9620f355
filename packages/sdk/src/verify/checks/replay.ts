// Decides every step of the journal again with the published engine, and compares the result with the journal.
import { Engine } from '@presage/engine';
import type {
  EngineCommand,
  EngineEvent,
  EngineOutput,
  MarketId,
  OrderAccepted,
  OrderCancelled,
  OrderHash,
  TradeMatched,
} from '@presage/protocol/engine-types';
import { NewestMap } from '@presage/runtime';
import { areSameLists, isSame } from './is-same.ts';
import { Violation, type ViolationKind } from './violation.ts';

/** All events of one command in one market. */
export type Step = readonly [EngineEvent, ...EngineEvent[]];

/** Reasons that a user or operator can request; the others follow from rules. */
const ASKED: ReadonlySet<string> = new Set([
  'user',
  'heartbeat_lapsed',
  'insufficient_cover',
  'cancelled_on_chain',
  'wallet_blocked',
]);

type End = 'cancelled' | 'expired';
type ReplayLine =
  | readonly [tag: 'replay', timeMs: number]
  | readonly [tag: 'steps', steps: readonly (readonly [MarketId, number])[]]
  | readonly [tag: 'ended', ended: readonly (readonly [OrderHash, End])[]];

/** Most remembered ends of orders: a trade with an older one is still caught, with a more general message. */
const ENDS_KEPT = 100_000;

export class Replay {
  readonly engine: Engine;
  readonly #steps = new Map<MarketId, number>();
  /** Ended orders, which the engine forgets: they explain a trade with an order that had ended. */
  readonly #ended = new NewestMap<OrderHash, End>(ENDS_KEPT);
  #timeMs = 0;

  constructor(engine = new Engine()) {
    this.engine = engine;
  }

  /** Resumes an earlier replay. */
  static restore(engineLines: Iterable<string>, lines: Iterable<string>): Replay {
    const replay = new Replay(Engine.restore(engineLines));
    for (const line of lines) replay.#restore(JSON.parse(line));
    return replay;
  }

  /** Saves the replay's own part; the engine saves the other. */
  *stateLines(): Generator<string> {
    const lines: ReplayLine[] = [
      ['replay', this.#timeMs],
      ['steps', [...this.#steps]],
      ['ended', [...this.#ended.entries()]],
    ];
    for (const line of lines) yield JSON.stringify(line);
  }

  #restore(line: ReplayLine): void {
    if (line[0] === 'replay') this.#timeMs = line[1];
    else if (line[0] === 'steps') for (const [marketId, step] of line[1]) this.#steps.set(marketId, step);
    else for (const [orderHash, end] of line[1]) this.#ended.set(orderHash, end);
  }

  /** Throws a violation if the engine decides the step otherwise. */
  apply(step: Step, firstSeq: number): void {
    this.#checkPlace(step[0], firstSeq);
    let mismatch: readonly EngineOutput[] | undefined;
    for (const command of this.#commandsOf(step, firstSeq)) {
      const decided = toDecidedAs(step, this.#decide(command, step[0].marketId, firstSeq));
      if (areSameLists(decided, step)) {
        this.#evolve(step, firstSeq);
        return;
      }
      mismatch ??= decided;
    }
    throw this.#explain(step, mismatch ?? [], firstSeq);
  }

  #checkPlace({ marketId, step, timeMs, type }: EngineEvent, seq: number): void {
    if (timeMs < this.#timeMs) throw new Violation('backdated', `${type} at ${timeMs} after ${this.#timeMs}`, seq);
    const previous = this.#steps.get(marketId) ?? 0;
    if (type !== 'market-listed' && previous === 0) {
      throw new Violation('market_wrong', `${type} in market ${marketId}, which was never listed`, seq);
    }
    if (step !== previous + 1) {
      throw new Violation('step_gap', `step ${step} of market ${marketId} follows step ${previous}`, seq);
    }
  }

  /** Overridden to let another engine decide. */
  protected decide(command: EngineCommand): readonly EngineOutput[] {
    return this.engine.decide(command);
  }

  protected evolve(event: EngineEvent, seq: number): void {
    this.engine.evolve(event, seq);
  }

  #decide(command: EngineCommand, marketId: MarketId, seq: number): readonly EngineOutput[] {
    try {
      const outputs = this.decide(command);
      // A tick affects all markets; the journal has its events market by market.
      return command.type === 'tick'
        ? outputs.filter((each) => 'marketId' in each && each.marketId === marketId)
        : outputs;
    } catch (error) {
      throw new Violation('step_gap', String(error), seq);
    }
  }

  #evolve(step: Step, firstSeq: number): void {
    let seq = firstSeq;
    for (const event of step) {
      this.evolve(event, seq++);
      if (event.type === 'order-cancelled') {
        this.#ended.set(event.orderHash, event.reason === 'expired' ? 'expired' : 'cancelled');
      }
    }
    const { marketId, timeMs } = step[0];
    this.#steps.set(marketId, step[0].step);
    this.#timeMs = timeMs;
  }

  /** Commands that could have caused these events; one of them must match. */
  #commandsOf(step: Step, seq: number): readonly EngineCommand[] {
    const [first] = step;
    const { timeMs, marketId } = first;
    const accepted = step.find((event): event is OrderAccepted => event.type === 'order-accepted');
    if (accepted !== undefined) {
      const { orderHash, order, signature, terms, permit } = accepted;
      const command = { type: 'place-order' as const, timeMs, orderHash, order, signature, terms };
      return [permit === undefined ? command : { ...command, permit }];
    }
    const last = step[step.length - 1]!;
    if (last.type === 'resolution-changed') {
      return [{ type: 'change-resolution', timeMs, marketId, resolution: last.resolution }];
    }
    const closed = step.find((event) => event.type === 'market-closed');
    if (closed !== undefined) return [this.#closing(closed, seq)];
    switch (first.type) {
      case 'market-listed':
        return [{ type: 'list-market', timeMs, market: first.market }];
      case 'trade-moved': {
        const { tradeId, stage, settlement } = first;
        return [{ type: 'move-trade', timeMs, marketId, tradeId, stage, ...(settlement && { settlement }) }];
      }
      case 'trade-failed': {
        const { tradeId, faultParty, reason, settlement, overfilled } = first;
        const known = { ...(settlement && { settlement }), ...(overfilled && { overfilled }) };
        return [{ type: 'fail-trade', timeMs, marketId, tradeId, faultParty, reason, ...known }];
      }
      case 'order-cancelled':
        // A step that begins with a cancellation and has none of the events above consists of cancellations.
        return this.#cancelling(step as unknown as readonly OrderCancelled[], seq);
      case 'trade-matched':
        throw this.#forged(first, seq) ?? new Violation('trade_forged', `${first.tradeId}: no order came in`, seq);
      default:
        throw new Violation('repair_wrong', `${first.type} by itself`, seq);
    }
  }

  #closing(closed: Extract<EngineEvent, { type: 'market-closed' }>, seq: number): EngineCommand {
    const { timeMs, marketId, reason } = closed;
    const expiration = (this.engine.market(marketId)?.facts.expiration ?? 0) * 1_000;
    if (reason === 'expired' && timeMs < expiration) {
      throw new Violation('market_wrong', `market ${marketId} was closed ${expiration - timeMs} ms early`, seq);
    }
    return { type: 'close-market', timeMs, marketId, reason };
  }

  #cancelling(step: readonly OrderCancelled[], seq: number): readonly EngineCommand[] {
    const { timeMs, marketId, orderHash, trader, reason } = step[0]!;
    const asked = step.find((event) => event.reason !== 'expired')?.reason;
    // A closing that did not fit into one step continues by itself.
    if (asked === 'market_closed' && this.engine.market(marketId)?.status !== 'open') return [{ type: 'tick', timeMs }];
    if (asked !== undefined && !ASKED.has(asked)) {
      throw new Violation('cancel_wrong', `order ${orderHash} was cancelled for ${asked}, out of the blue`, seq);
    }
    const all: EngineCommand = { type: 'cancel-orders', timeMs, trader, marketId, reason: asked ?? 'user' };
    if (asked === undefined) return [{ type: 'tick', timeMs }, all];
    return step.length > 1 ? [all] : [{ type: 'cancel-order', timeMs, marketId, orderHash, reason }, all];
  }

  #explain(step: Step, decided: readonly EngineOutput[], firstSeq: number): Violation {
    const [only] = decided;
    if (only?.type === 'command-refused' || only?.type === 'order-replayed') {
      const forged = step.find((event) => event.type === 'trade-matched');
      const code = only.type === 'order-replayed' ? 'order-replayed' : only.code;
      const described = describe(step[0]);
      return (
        (REFUSED[code] === undefined && forged && this.#forged(forged, firstSeq)) ||
        new Violation(REFUSED[code] ?? 'order_refused', `${described}: the rules say ${code}`, firstSeq)
      );
    }
    for (let index = 0; ; index++) {
      // Refusals and replays were handled above.
      const [expected, actual] = [decided[index] as EngineEvent | undefined, step[index]];
      if (expected !== undefined && actual !== undefined && isSame(expected, actual)) continue;
      return this.#compare(expected, actual, firstSeq + index);
    }
  }

  #compare(expected: EngineEvent | undefined, actual: EngineEvent | undefined, seq: number): Violation {
    if (actual?.type === 'trade-matched') {
      const forged = this.#forged(actual, seq);
      if (forged !== undefined) return forged;
      if (expected?.type !== 'trade-matched') {
        return new Violation('trade_forged', `${describe(actual)}; by the rules ${describe(expected)}`, seq);
      }
      const kind = tradeFault(expected, actual);
      return new Violation(kind, `${describe(actual)}; by the rules ${describe(expected)}`, seq);
    }
    const detail = `${describe(actual)}; by the rules ${describe(expected)}`;
    if (expected?.type === 'trade-matched') return new Violation('trade_missing', detail, seq);
    if (actual?.type === 'order-cancelled') return new Violation('cancel_wrong', detail, seq);
    return new Violation(KINDS[(expected ?? actual)!.type], detail, seq);
  }

  /** The violation if an order of the trade could not have traded at all. */
  #forged(trade: TradeMatched, seq: number): Violation | undefined {
    const ended = this.#ended.get(trade.makerHash);
    if (ended !== undefined) {
      const kind = ended === 'expired' ? 'filled_after_expiry' : 'filled_after_cancel';
      return new Violation(kind, `order ${trade.makerHash}`, seq);
    }
    const maker = this.engine.order(trade.makerHash);
    if (maker === undefined) {
      return new Violation(
        'trade_forged',
        `order ${trade.makerHash} is not in the journal, or was filled long ago`,
        seq,
      );
    }
    if (Number(maker.signed.order.expiration) * 1_000 <= trade.timeMs) {
      return new Violation('filled_after_expiry', `order ${trade.makerHash}`, seq);
    }
    if (trade.size > maker.remainingSize) {
      const detail = `${trade.size} of order ${trade.makerHash}, which had ${maker.remainingSize} left`;
      return new Violation('trade_size_wrong', detail, seq);
    }
    return undefined;
  }
}

const REFUSED: Readonly<Record<string, ViolationKind>> = {
  'order-replayed': 'order_doubled',
  nonce_already_used: 'order_doubled',
  market_closed: 'order_late',
  expiration_too_soon: 'order_late',
  would_cross: 'order_refused',
  fok_not_filled: 'order_refused',
  order_not_found: 'cancel_wrong',
  order_not_open: 'cancel_wrong',
  order_not_yours: 'cancel_wrong',
  trade_not_found: 'settlement_wrong',
  trade_move_refused: 'settlement_wrong',
  market_already_listed: 'market_wrong',
  market_not_found: 'market_wrong',
};

const KINDS: Readonly<Record<EngineEvent['type'], ViolationKind>> = {
  'market-listed': 'market_wrong',
  'market-closed': 'market_wrong',
  'resolution-changed': 'market_wrong',
  'order-accepted': 'order_refused',
  'order-cancelled': 'cancel_missing',
  'order-restored': 'repair_wrong',
  'trade-matched': 'trade_forged',
  'trade-moved': 'settlement_wrong',
  'trade-failed': 'repair_wrong',
};

/** The decision without the parties of a failed trade if the record lacks them, as records before version 6 do. */
function toDecidedAs([first]: Step, decided: readonly EngineOutput[]): readonly EngineOutput[] {
  if (first.type !== 'trade-failed' || first.buyer !== undefined || first.seller !== undefined) return decided;
  return decided.map((output) => {
    if (output.type !== 'trade-failed') return output;
    const { buyer: _buyer, seller: _seller, ...unnamed } = output;
    return unnamed;
  });
}

function tradeFault(expected: TradeMatched, actual: TradeMatched): ViolationKind {
  if (expected.makerHash !== actual.makerHash) return 'order_passed_over';
  if (expected.price !== actual.price) return 'trade_price_wrong';
  if (expected.size !== actual.size) return 'trade_size_wrong';
  const isCharged = expected.fee === actual.fee && expected.makerRebate === actual.makerRebate;
  return isCharged ? 'trade_forged' : 'trade_fee_wrong';
}

function describeTrade({ tradeId, size, price, makerHash, fee, makerRebate = 0 }: TradeMatched): string {
  const trade = `trade ${tradeId}: ${size} at ${price} with order ${makerHash}`;
  return fee === undefined ? trade : `${trade}, for a fee of ${fee} of which the maker gets ${makerRebate}`;
}

function describe(event: EngineEvent | undefined): string {
  if (event === undefined) return 'nothing more happens';
  switch (event.type) {
    case 'trade-matched':
      return describeTrade(event);
    case 'order-cancelled':
      return `order ${event.orderHash} leaves the book with ${event.remainingSize} (${event.reason})`;
    case 'order-accepted':
      return `order ${event.orderHash}`;
    case 'order-restored':
      return `order ${event.orderHash} regains ${event.size}`;
    case 'trade-moved':
      return `trade ${event.tradeId} is ${event.stage}`;
    case 'trade-failed':
      return `trade ${event.tradeId} failed`;
    default:
      return `${event.type} of market ${event.marketId}`;
  }
}
