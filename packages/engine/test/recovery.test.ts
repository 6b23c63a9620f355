// Recovery of a state from its events and from its checkpoint.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Engine, type EngineImage, type TakenCheckpoint } from '@presage/engine';
import { type EngineCommand, type EngineEvent, isJournalled } from '@presage/protocol';
import {
  createOrderBuilders,
  ManualClock,
  marketFacts,
  SeededRandom,
  seedFromEnv,
  TEST_MARKET,
} from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RandomCommands } from './random-commands.ts';

const SEED = seedFromEnv(11);

/** An engine partway through a random flow, its events, and the commands to continue with. */
function runFlow(seed: number, commands: number) {
  const flow = new RandomCommands(seed);
  const engine = new Engine();
  const events: EngineEvent[] = [];
  const proceed = (target: Engine, command: EngineCommand) => {
    const outputs = target.apply(command);
    events.push(...outputs.filter(isJournalled));
    return outputs;
  };
  for (let done = 0; done < commands; done++) flow.observe(proceed(engine, flow.next()));
  return { flow, engine, events };
}

/** Both decide the same. */
function goOnAlike(flow: RandomCommands, [original, other]: readonly [Engine, Engine], commands: number): void {
  for (let done = 0; done < commands; done++) {
    const command = flow.next();
    const [expected, outputs] = [original.apply(command), other.apply(command)];
    // Thousands of times: an expectation takes longer than the command.
    if (!isDeepStrictEqual(outputs, expected)) expect(outputs).toEqual(expected);
    flow.observe(expected);
  }
}

function isText(note: string | undefined): note is string {
  return note !== undefined;
}

/** An engine from the memory of a taken state, as a file would have it. */
function restoreImage(taken: TakenCheckpoint): Engine {
  const texts = [...taken.texts()].filter(isText);
  return Engine.restoreImage({ texts, memory: taken.memory().map((bytes) => bytes.slice()) });
}

describe('the state hash', () => {
  it('is SHA-256 of the checkpoint lines, each ended by a line feed', () => {
    const { engine } = runFlow(3, 1_500);
    const hash = createHash('sha256');
    for (const line of engine.checkpointLines()) hash.update(`${line}\n`);
    expect(engine.stateHash()).toBe(`0x${hash.digest('hex')}`);
  });

  it('does not depend on the key order of market objects', () => {
    const facts = marketFacts();
    const backward = Object.fromEntries(Object.entries(facts).reverse()) as typeof facts;
    const hashes = [facts, backward].map((market) => {
      const engine = new Engine();
      engine.apply({ type: 'list-market', timeMs: 5, market });
      return engine.stateHash();
    });
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('differs for two states that differ in one nonce', () => {
    const hashes = [1n, 2n].map((nonce) => {
      const exchange = new Exchange();
      exchange.place(exchange.traders.aliceBuysYes({ price: '0.5', size: '1', nonce }));
      return exchange.engine.stateHash();
    });
    expect(hashes[0]).not.toBe(hashes[1]);
  });
});

describe('a checkpoint', () => {
  it.each([SEED, SEED + 1])(
    'is of the moment it was taken, although everything goes on while it is read, seed %i',
    (seed) => {
      const { flow, engine } = runFlow(seed, 1_000);
      const random = new SeededRandom(seed);
      let underWay: {
        expected: string[];
        taken: TakenCheckpoint;
        lines: Generator<string | undefined>;
        read: string[];
      }[] = [];
      let compared = 0;
      for (let done = 0; done < 4_000; done++) {
        flow.observe(engine.apply(flow.next()));
        if (random.below(300) === 0) {
          const taken = engine.takeCheckpoint();
          underWay.push({ expected: [...engine.checkpointLines()], taken, lines: taken.lines(), read: [] });
        }
        underWay = underWay.filter(({ expected, taken, lines, read }) => {
          for (let count = random.below(4); count > 0; count--) {
            const { value, done: isOver } = lines.next();
            if (value !== undefined) read.push(value);
            if (!isOver) continue;
            expect(read).toEqual(expected);
            expect([...restoreImage(taken).checkpointLines()]).toEqual(expected);
            taken.giveBack();
            compared++;
            return false;
          }
          return true;
        });
      }
      expect(compared).toBeGreaterThan(5);
    },
  );

  it.each([SEED, SEED + 1, SEED + 2])('restores an engine that continues exactly as the original, seed %i', (seed) => {
    const { flow, engine } = runFlow(seed, 2_000);
    const restored = Engine.restore([...engine.checkpointLines()]);
    expect(restored.stateHash()).toBe(engine.stateHash());
    goOnAlike(flow, [engine, restored], 2_000);
    expect(restored.stateHash()).toBe(engine.stateHash());
  });

  it.each([SEED, SEED + 1, SEED + 2])('restores from memory as from its lines, seed %i', (seed) => {
    const { flow, engine } = runFlow(seed, 2_000);
    const taken = engine.takeCheckpoint();
    const restored = restoreImage(taken);
    taken.giveBack();
    expect(restored.stateHash()).toBe(engine.stateHash());
    expect(restored.size()).toEqual(engine.size());
    goOnAlike(flow, [engine, restored], 2_000);
    expect(restored.stateHash()).toBe(engine.stateHash());
  });

  it('has memory of a layout that no file of before may be read with by mistake', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.5', size: '3', nonce: 1n }));
    exchange.place(traders.bobSellsYes({ price: '0.5', size: '1', nonce: 2n, reduceOnly: true }));
    exchange.place(traders.carolSellsYes({ price: '0.7', size: '2', nonce: 3n }));
    const taken = exchange.engine.takeCheckpoint();
    const digest = createHash('sha256');
    for (const part of taken.memory()) digest.update(part).update('|');
    taken.giveBack();
    // Another hash here is another layout: raise IMAGE_VERSION together with it.
    expect(digest.digest('hex')).toBe('aa0d38d46cd0424b00b565dd876c1354135de37b579b760fa0dc81056d67c20e');
  });

  it('whose memory is laid out otherwise, or is not whole, is refused', () => {
    const { engine } = runFlow(SEED, 100);
    const taken = engine.takeCheckpoint();
    const [texts, memory] = [[...taken.texts()].filter(isText), taken.memory()];
    const restore = (image: EngineImage) => () => Engine.restoreImage(image);
    expect(restore({ texts: ['[0]', ...texts.slice(1)], memory })).toThrow('laid out for another version');
    expect(restore({ texts, memory: memory.slice(0, -1) })).toThrow('is not whole');
    expect(restore({ texts, memory: [new Uint8Array(0), ...memory.slice(1)] })).toThrow('other markets');
    taken.giveBack();
  });

  it('can be made of any engine, an empty one too', () => {
    const restored = Engine.restore(new Engine().checkpointLines());
    expect(restored.stateHash()).toBe(new Engine().stateHash());
  });

  it('of before a term existed restores to the same bytes, and a younger term is kept', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.5', size: '1' }));
    const before = [...exchange.engine.checkpointLines()];
    const orders = before.filter((line) => line.startsWith('["order"'));
    expect(orders).toHaveLength(1);
    expect(orders[0]).toContain(',"GTC",false,"none",null],');
    expect([...Engine.restore(before).checkpointLines()]).toEqual(before);
    exchange.place(traders.bobSellsYes({ price: '0.6', size: '1', reduceOnly: true }));
    const after = [...exchange.engine.checkpointLines()];
    expect(after.some((line) => line.includes(',"GTC",false,"none",true,null],'))).toBe(true);
    expect([...Engine.restore(after).checkpointLines()]).toEqual(after);
  });

  it('of another version is refused', () => {
    expect(() => Engine.restore(['["engine",99,0,0]'])).toThrow('checkpoint version 99 is not 2');
  });

  it('out of order is refused', () => {
    expect(() => Engine.restore(['["nonces","0x00",[]]'])).toThrow('a checkpoint line comes before its market');
  });
});

describe('a copy', () => {
  it.each([SEED, SEED + 1, SEED + 2])('continues exactly as the original, seed %i', (seed) => {
    const { flow, engine } = runFlow(seed, 2_000);
    const copy = engine.copy();
    expect(copy.stateHash()).toBe(engine.stateHash());
    goOnAlike(flow, [engine, copy], 2_000);
    expect(copy.stateHash()).toBe(engine.stateHash());
  });

  it('is left as it was by what the original does', () => {
    const { flow, engine } = runFlow(SEED + 3, 500);
    const [copy, before] = [engine.copy(), engine.stateHash()];
    for (let done = 0; done < 500; done++) flow.observe(engine.apply(flow.next()));
    expect(copy.stateHash()).toBe(before);
  });

  it('shares what no event changes', () => {
    const exchange = new Exchange();
    exchange.place(exchange.traders.aliceBuysYes({ price: '0.5', size: '1' }));
    const copy = exchange.engine.copy();
    expect(copy.facts(TEST_MARKET)).toBe(exchange.engine.facts(TEST_MARKET));
    expect(copy.openOrders()).toEqual(exchange.engine.openOrders());
  });

  it('is left as it was when the original is discarded, and goes on as one that was never shared', () => {
    const { flow, engine } = runFlow(SEED + 4, 1_000);
    const alone = Engine.restore(engine.checkpointLines());
    let copy = engine.copy();
    // The original goes another way: what it decided is never seen by the copy.
    const other = new RandomCommands(SEED + 5);
    for (let done = 0; done < 300; done++) {
      const command = other.next();
      if (command.timeMs >= engine.timeMs) engine.apply(command);
    }
    engine.discard();
    for (let round = 0; round < 4; round++) {
      goOnAlike(flow, [alone, copy], 500);
      const next = copy.copy();
      copy.discard();
      copy = next;
    }
    expect(copy.stateHash()).toBe(alone.stateHash());
  });
});

describe('replaying events', () => {
  it('gives the same state at every step', () => {
    const flow = new RandomCommands(SEED + 10);
    const [live, follower] = [new Engine(), new Engine()];
    for (let done = 0; done < 1_200; done++) {
      const outputs = live.apply(flow.next());
      flow.observe(outputs);
      for (const event of outputs.filter(isJournalled)) follower.evolve(event);
      if (done % 40 === 0) expect(follower.stateHash()).toBe(live.stateHash());
    }
  });

  it('continues from a checkpoint', () => {
    const { engine, events } = runFlow(22, 1_000);
    const half = events.findIndex(
      (event, index) => index > events.length / 2 && event.step !== events[index - 1]?.step,
    );
    const first = new Engine();
    for (const event of events.slice(0, half)) first.evolve(event);
    const second = Engine.restore(first.checkpointLines());
    for (const event of events.slice(half)) second.evolve(event);
    expect(second.stateHash()).toBe(engine.stateHash());
  });
});

describe('an impossible history', () => {
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const { type: _place, ...signed } = traders.aliceBuysYes({ price: '0.5', size: '2' });
  const step = { marketId: TEST_MARKET, timeMs: clock.nowMs };
  const accepted: EngineEvent = { type: 'order-accepted', ...signed, ...step, step: 2 };

  function listed(): Engine {
    const engine = new Engine();
    engine.evolve({ type: 'market-listed', ...step, step: 1, market: marketFacts() });
    return engine;
  }

  const impossible: [string, EngineEvent][] = [
    ['follows step 1', { ...accepted, step: 3 }],
    ['follows one at', { ...accepted, timeMs: clock.nowMs - 1 }],
    ['never listed', { ...accepted, marketId: `0x${'77'.repeat(32)}` as const }],
    ['listed twice', { type: 'market-listed', ...step, step: 1, market: marketFacts() }],
    ['not remembered', { type: 'trade-moved', ...step, step: 2, tradeId: 'x-1', stage: 'mined' }],
    [
      'not remembered',
      {
        type: 'order-restored',
        ...step,
        step: 2,
        tradeId: 'x-1',
        orderHash: accepted.orderHash,
        size: signed.order.size,
      },
    ],
  ];

  it.each(impossible)('stops the engine: %s', (message, event) => {
    expect(() => listed().evolve(event)).toThrow(message);
  });

  it('stops the engine: more cancelled than there was', () => {
    const engine = listed();
    engine.evolve(accepted);
    const { trader, outcome, side, price } = signed.order;
    const order = { orderHash: signed.orderHash, trader, outcome, side, price };
    const cancelled: EngineEvent = {
      type: 'order-cancelled',
      ...step,
      step: 3,
      ...order,
      remainingSize: 3,
      reason: 'user',
    };
    expect(() => engine.evolve(cancelled)).toThrow('3 cancelled of 2000000 on the book');
  });

  it('stops the engine: a command from the past', () => {
    const engine = listed();
    expect(() => engine.apply({ type: 'tick', timeMs: clock.nowMs - 1 })).toThrow(RangeError);
  });
});
