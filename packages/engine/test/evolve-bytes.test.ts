// Events applied from their bytes: whatever the bytes are, the engine does what it does with the decoded record, or refuses both.
import { Engine } from '@presage/engine';
import { decodeRecord, type EngineEvent, encodeRecord, isEngineEvent, isJournalled } from '@presage/protocol';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

const SEED = seedFromEnv(3);
const MUTATIONS = 400;
const RATES = { feeRateBps: 150, makerShareBps: 2_500 };

/** A short history with every kind of event that is written as bytes, of which the last three are the hardest to get right. */
function makeHistory(): EngineEvent[] {
  const exchange = new Exchange(RATES);
  const { aliceBuysYes, bobSellsYes, carolSellsYes } = exchange.traders;
  const outputs = [
    exchange.send(aliceBuysYes({ price: '0.4', size: '3' })),
    exchange.send(bobSellsYes({ price: '0.6', size: '2', selfTradePrevention: 'cancel_resting', reduceOnly: true })),
    exchange.send(aliceBuysYes({ price: '0.6', size: '1', nonce: 2n ** 64n - 1n })),
    exchange.send(carolSellsYes({ price: '0.4', size: '5', timeInForce: 'IOC' })),
  ].flat();
  return outputs.filter(isJournalled);
}

/** The state after the bytes, or that they were refused. */
function outcomeOf(lines: readonly string[], evolve: (engine: Engine) => void): string {
  const engine = Engine.restore(lines);
  try {
    evolve(engine);
  } catch {
    return 'refused';
  }
  return engine.stateHash();
}

function evolveDecoded(engine: Engine, bytes: Uint8Array): void {
  const record = decodeRecord(bytes);
  if (isEngineEvent(record)) engine.evolve(record);
}

function evolveEither(engine: Engine, bytes: Uint8Array): void {
  if (!engine.evolveBytes(bytes)) evolveDecoded(engine, bytes);
}

/** Lines of the state before each event, and the bytes of the event. */
function* moments(): Generator<[lines: string[], bytes: Uint8Array]> {
  const engine = new Exchange(RATES).engine;
  for (const event of makeHistory()) {
    const bytes = encodeRecord(event);
    yield [[...engine.checkpointLines()], bytes];
    expect(engine.evolveBytes(bytes)).toBe(true);
  }
}

describe('bytes of events', () => {
  it('have the effect of the decoded record', () => {
    for (const [lines, bytes] of moments()) {
      const expected = outcomeOf(lines, (engine) => evolveDecoded(engine, bytes));
      expect(expected).not.toBe('refused');
      expect(outcomeOf(lines, (engine) => evolveEither(engine, bytes))).toBe(expected);
    }
  });

  it('that charge otherwise than the market does are refused', () => {
    const seen: unknown[] = [];
    for (const [lines, bytes] of moments()) {
      const record = decodeRecord(bytes);
      if (record.type !== 'trade-matched') continue;
      const { fee, makerRebate, ...free } = record;
      seen.push([fee, makerRebate]);
      const forged = [
        free,
        { ...record, fee: fee! - 1 },
        { ...free, fee: fee! },
        { ...free, makerRebate: makerRebate! },
      ];
      for (const trade of forged) {
        const engine = Engine.restore(lines);
        const reason = `the market's rates give ${fee} and ${makerRebate}`;
        expect(() => engine.evolve(trade)).toThrow(reason);
        expect(() => engine.evolveBytes(encodeRecord(trade))).toThrow(reason);
      }
    }
    expect(seen).toEqual([
      [3_600, 900],
      [10_800, 2_700],
    ]);
  });

  it('that were cut off or lengthened are refused, with nothing changed', () => {
    for (const [lines, bytes] of moments()) {
      const engine = Engine.restore(lines);
      const before = engine.stateHash();
      for (let length = 1; length < bytes.length; length += 7) {
        expect(() => engine.evolveBytes(bytes.slice(0, length))).toThrow();
      }
      expect(() => engine.evolveBytes(Uint8Array.of(...bytes, 0))).toThrow();
      expect(engine.stateHash()).toBe(before);
    }
  });

  it(`with a changed byte have the effect of the decoded record, or are refused as it is, seed ${SEED}`, () => {
    const random = new SeededRandom(SEED);
    const all = [...moments()];
    let refused = 0;
    for (let count = 0; count < MUTATIONS; count++) {
      const [lines, original] = random.pick(all);
      const bytes = original.slice();
      const at = random.int(1, bytes.length - 1);
      bytes[at]! ^= 1 << random.int(0, 7);
      const expected = outcomeOf(lines, (engine) => evolveDecoded(engine, bytes));
      expect(
        outcomeOf(lines, (engine) => evolveEither(engine, bytes)),
        `byte ${at} of ${original}`,
      ).toBe(expected);
      if (expected === 'refused') refused++;
    }
    expect(refused).toBeGreaterThan(MUTATIONS / 10);
    expect(refused).toBeLessThan(MUTATIONS);
  });
});
