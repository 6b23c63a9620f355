// What is too much for one step goes in several, and comes to the same; killed between two, the rest is done by whoever goes on.
import { Engine } from '@presage/engine';
import { type EngineCommand, type EngineOutput, isJournalled, type PlaceOrder } from '@presage/protocol';
import {
  createOrderBuilders,
  listMarket,
  ManualClock,
  SeededRandom,
  seedFromEnv,
  TEST_MARKET,
  TRADERS,
} from '@presage/testkit';
import { describe, expect, it } from 'vitest';

const SEED = seedFromEnv(31);
const EXPIRATION = 1_900_000_500;
const WHOLE = 1_000_000;
const OTHER = `0x${'02'.repeat(32)}` as const;
const THIRD = `0x${'03'.repeat(32)}` as const;

/** Sixty orders of three wallets in two markets, none of which cross; a third have expired by the end of the first market. */
function openBook(eventsPerStep: number, seed: number) {
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const random = new SeededRandom(seed);
  const engine = new Engine({ eventsPerStep });
  engine.apply(listMarket(clock.nowMs, { expiration: EXPIRATION }));
  engine.apply(listMarket(clock.nowMs, { marketId: OTHER, expiration: EXPIRATION + 1_000 }));
  const verbs = ['aliceBuysYes', 'bobBuysYes', 'carolBuysNo'] as const;
  for (let index = 0; index < 60; index++) {
    const expiration = random.below(3) === 0 ? EXPIRATION - random.below(300) : EXPIRATION + 900;
    const order = { price: `0.${1 + random.below(4)}`, size: `${1 + random.below(9)}`, expiration };
    const market = random.below(4) === 0 ? { marketId: OTHER } : {};
    engine.apply(traders[verbs[random.below(3)]!]({ ...order, ...market }) as PlaceOrder);
  }
  return { clock, engine };
}

/** Until it finds nothing more to do, then ticks as a service does. Returns the length of the longest step. */
function applyWhole(engine: Engine, command: EngineCommand): number {
  const steps = new Map<string, number>();
  const count = (outputs: readonly EngineOutput[]) => {
    for (const output of outputs) {
      if (!isJournalled(output)) continue;
      const name = `${output.marketId} ${output.step}`;
      steps.set(name, (steps.get(name) ?? 0) + 1);
    }
    return outputs;
  };
  const first = count(engine.apply(command));
  if (command.type === 'cancel-orders') for (let left = first; left.length > 0; ) left = count(engine.apply(command));
  else if (engine.isTickDue(command.timeMs)) {
    const tick = { type: 'tick', timeMs: command.timeMs } as const;
    for (let left = count(engine.apply(tick)); left.length > 0; ) left = count(engine.apply(tick));
  }
  return Math.max(...steps.values());
}

/** Everything but how many steps and events it took; after one step more, since what has ended is forgotten with the next. */
function stateOf(engine: Engine, timeMs: number): string[] {
  engine.apply(listMarket(timeMs, { marketId: THIRD, expiration: EXPIRATION + 9_000 }));
  return [...engine.checkpointLines()].map((line) => {
    const fields = JSON.parse(line) as unknown[];
    if (fields[0] === 'engine') fields.pop();
    if (fields[0] === 'market') fields.splice(2, 1);
    return JSON.stringify(fields);
  });
}

const COMMANDS: readonly (readonly [name: string, secondsLater: number, command: object])[] = [
  ['a market that expires', 501, { type: 'tick' }],
  ['two markets that expire together', 1_501, { type: 'tick' }],
  ['orders that expire', 400, { type: 'tick' }],
  ['a market that vanished', 350, { type: 'close-market', marketId: TEST_MARKET, reason: 'vanished' }],
  [
    'a result that comes early',
    350,
    { type: 'change-resolution', marketId: TEST_MARKET, resolution: { status: 'proposed', round: 1, history: [] } },
  ],
  ['a wallet that cancels everything', 100, { type: 'cancel-orders', trader: TRADERS.alice, reason: 'user' }],
  ['a heartbeat that lapses', 350, { type: 'cancel-orders', trader: TRADERS.bob, reason: 'heartbeat_lapsed' }],
];

describe('in parts', () => {
  it.each(COMMANDS)('%s comes to the same as in one', (_name, secondsLater, given) => {
    for (const eventsPerStep of [2, 3, 7, 20]) {
      const [whole, parts] = [openBook(WHOLE, SEED), openBook(eventsPerStep, SEED)];
      const timeMs = whole.clock.nowMs + secondsLater * 1_000;
      const command = { ...given, timeMs } as EngineCommand;
      applyWhole(whole.engine, command);
      expect(applyWhole(parts.engine, command)).toBeLessThanOrEqual(eventsPerStep + 1);
      expect(stateOf(parts.engine, timeMs)).toEqual(stateOf(whole.engine, timeMs));
      expect(parts.engine.isTickDue(timeMs)).toBe(whole.engine.isTickDue(timeMs));
    }
  });

  it.each(COMMANDS)('%s is finished by an engine that was restored after any part', (_name, secondsLater, given) => {
    const { clock, engine: whole } = openBook(WHOLE, SEED);
    const command = { ...given, timeMs: clock.nowMs + secondsLater * 1_000 } as EngineCommand;
    applyWhole(whole, command);
    const expected = stateOf(whole, command.timeMs);
    const { engine: parts } = openBook(5, SEED);
    for (let killed = 0; killed < 4; killed++) {
      if (
        parts.apply(
          killed === 0 || command.type === 'cancel-orders' ? command : { type: 'tick', timeMs: command.timeMs },
        ).length === 0
      )
        break;
      const restored = Engine.restore([...parts.checkpointLines()], { eventsPerStep: 5 });
      expect(restored.stateHash()).toBe(parts.stateHash());
      const rest = command.type === 'cancel-orders' ? command : ({ type: 'tick', timeMs: command.timeMs } as const);
      applyWhole(restored, rest);
      expect(stateOf(restored, command.timeMs)).toEqual(expected);
    }
  });

  it('an order meets as many as fit into its step, and the rest of it is cancelled rather than left crossed', () => {
    const clock = new ManualClock();
    const traders = createOrderBuilders(clock);
    const engine = new Engine({ eventsPerStep: 6 });
    engine.apply(listMarket(clock.nowMs));
    for (let index = 0; index < 9; index++) engine.apply(traders.bobSellsYes({ price: '0.5', size: '1' }));
    const outputs = engine.apply(traders.aliceBuysYes({ price: '0.5', size: '9' }));
    expect(outputs.map(({ type }) => type)).toEqual([
      'order-accepted',
      ...Array(5).fill('trade-matched'),
      'order-cancelled',
    ]);
    expect(outputs.at(-1)).toMatchObject({ reason: 'immediate_or_cancel', remainingSize: 4_000_000 });
    expect([engine.bestPrice(TEST_MARKET, 0, 0), engine.bestPrice(TEST_MARKET, 0, 1)]).toEqual([0, 500_000]);
    const [refused] = engine.apply(traders.aliceBuysYes({ price: '0.5', size: '4', timeInForce: 'FOK' }));
    expect(refused).toMatchObject({ type: 'order-accepted' });
  });

  it('a fill-or-kill order that would need more fills than a step has is refused and leaves no trace', () => {
    const clock = new ManualClock();
    const traders = createOrderBuilders(clock);
    const engine = new Engine({ eventsPerStep: 4 });
    engine.apply(listMarket(clock.nowMs));
    for (let index = 0; index < 9; index++) engine.apply(traders.bobSellsYes({ price: '0.5', size: '1' }));
    const before = engine.stateHash();
    const [refused] = engine.apply(traders.aliceBuysYes({ price: '0.5', size: '9', timeInForce: 'FOK' }));
    expect(refused).toMatchObject({ type: 'command-refused', code: 'fok_not_filled' });
    expect(engine.stateHash()).toBe(before);
  });
});
