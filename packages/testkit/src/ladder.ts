// Draws books and steps as text, for tests that show the effect of an order.
import type { Engine, OrderView } from '@presage/engine';
import {
  type Address,
  BUY,
  DEFAULT_TERMS,
  type EngineOutput,
  isSwitch,
  type MarketId,
  ORDER_TERM_NAMES,
  type OrderAccepted,
  type OrderHash,
  type Outcome,
  SELL,
  type Side,
  type TradeMatched,
  YES,
} from '@presage/protocol';
import { fromMillionths, TEST_MARKET, TRADERS } from './order-builders.ts';

export interface LadderChoice {
  readonly marketId?: MarketId;
  readonly outcome?: Outcome;
}

/** Asks above the line and bids below it, best prices next to it; each level shows its queue in trading order. */
export function drawLadder(engine: Engine, { marketId = TEST_MARKET, outcome = YES }: LadderChoice = {}): string {
  const orders = engine.openOrders({ marketId }).filter((order) => order.signed.order.outcome === outcome);
  const queues = orders.sort((a, b) => a.sequence - b.sequence);
  const draw = (side: Side) =>
    engine.levels(marketId, outcome, side).map(({ price, size }) => {
      const queue = queues.filter((order) => order.signed.order.side === side && order.signed.order.price === price);
      const total = `${fromMillionths(price).padEnd(8)} ${fromMillionths(size).padStart(6)}`;
      return `  ${side === BUY ? 'bid' : 'ask'} ${total}   ${queue.map(drawQueued).join(', ')}`;
    });
  return ['', ...draw(SELL).reverse(), '  -----------------', ...draw(BUY), ''].join('\n');
}

function drawQueued(order: OrderView): string {
  return `${nameOf(order.signed.order.trader)} ${fromMillionths(order.remainingSize)}`;
}

/** One line for each output. */
export function drawStep(outputs: readonly EngineOutput[], engine: Engine): string {
  return ['', ...outputs.map((output) => `  ${drawOutput(output, engine)}`), ''].join('\n');
}

function drawOutput(output: EngineOutput, engine: Engine): string {
  switch (output.type) {
    case 'order-accepted':
      return drawAccepted(output);
    case 'trade-matched':
      return drawTrade(output);
    case 'order-cancelled': {
      const what = `${nameOf(output.trader)}'s ${output.side === BUY ? 'bid' : 'ask'} at ${fromMillionths(output.price)}`;
      return `${what} cancelled, ${fromMillionths(output.remainingSize)} left: ${output.reason}`;
    }
    case 'order-restored':
      return `${ownerOf(engine, output.orderHash)} gets back ${fromMillionths(output.size)}`;
    case 'trade-moved':
      return `trade ${output.tradeId} is ${output.stage}`;
    case 'trade-failed':
      return `trade ${output.tradeId} failed, fault of ${output.faultParty}: ${output.reason}`;
    case 'market-listed':
      return 'market listed';
    case 'market-closed':
      return `market closed: ${output.reason}`;
    case 'resolution-changed':
      return `resolution: ${output.resolution.status}`;
    case 'command-refused':
      return `refused: ${output.code}${output.details ? ` ${JSON.stringify(output.details)}` : ''}`;
    case 'order-replayed':
      return `replayed: ${output.answer.orderStatus}, ${output.answer.matches} matches`;
  }
}

function drawAccepted({ order, terms }: OrderAccepted): string {
  const verb = order.side === BUY ? 'buys' : 'sells';
  const named = ORDER_TERM_NAMES.filter((name) => terms[name] !== DEFAULT_TERMS[name]);
  const flags = named.map((name) => ` ${isSwitch(name) ? toKebab(name) : terms[name]}`);
  const what = `${fromMillionths(order.size)} ${order.outcome === YES ? 'YES' : 'NO'} at ${fromMillionths(order.price)}`;
  return `${nameOf(order.trader)} ${verb} ${what}${flags.join('')}`;
}

function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function drawTrade({ taker, maker, takerSide, size, price }: TradeMatched): string {
  const [verb, from] = takerSide === BUY ? ['takes', 'from'] : ['gives', 'to'];
  return `${nameOf(taker)} ${verb} ${fromMillionths(size)} at ${fromMillionths(price)} ${from} ${nameOf(maker)}`;
}

function ownerOf(engine: Engine, hash: OrderHash): string {
  const order = engine.order(hash);
  return order === undefined ? hash.slice(0, 10) : nameOf(order.signed.order.trader);
}

function nameOf(address: Address): string {
  const known = Object.entries(TRADERS).find(([, wallet]) => wallet === address);
  return known?.[0] ?? address.slice(0, 8);
}
