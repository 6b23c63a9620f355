// The whole engine compared with the npm package nodejs-order-book on the same flow, and its cost per operation as the book grows.
import { isDeepStrictEqual } from 'node:util';
import { Engine, EventBytes } from '@presage/engine';
import { marketFacts } from '@presage/testkit';
import {
  type Contestant,
  createBookOnly,
  createPeer,
  createWholeEngine,
  pack,
  START_MS,
} from './engine-contestants.ts';
import { type FlowOperation, makeFlow, toCommands } from './engine-flow.ts';
import { bestOf, type Measurement, perSecond, type Timing, time } from './measurement.ts';

const OPERATIONS = 150_000;
const ROUNDS = 3;
/** Operations timed on top of the resting orders of `engine.flat`. */
const PROBES = 50_000;

export async function measure(): Promise<Measurement[]> {
  const count = { seed: 1, operations: OPERATIONS };
  return [
    compare('mixed', makeFlow({ ...count, cancels: 0.35, overlap: 11 })),
    compare('busy', makeFlow({ ...count, cancels: 0.1, overlap: 150 })),
    measureFlat(),
  ];
}

/** Every contestant gets the same operations with the same ids and must end with the same book; rounds alternate. */
function compare(name: string, flow: readonly FlowOperation[]): Measurement {
  const written = new EventBytes();
  const makers = [
    createPeer,
    createBookOnly,
    (each: typeof flow) => createWholeEngine(each),
    (each: typeof flow) => createWholeEngine(each, written),
  ];
  const rounds = makers.map((): Timing[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    const contestants = makers.map((make) => make(flow));
    for (const [index, contestant] of contestants.entries()) {
      const timing = time(contestant.run);
      if (round > 0) rounds[index]!.push(timing);
    }
    assertSameBook(contestants);
  }
  const cpuOf = (index: number) => bestOf(rounds[index]!).cpuMs;
  const [peer, book, engine, writing] = [cpuOf(0), cpuOf(1), cpuOf(2), cpuOf(3)];
  const rate = (ms: number) => perSecond(flow.length, ms);
  const conditions = `${flow.length.toLocaleString('en')} operations, processor time, best of ${ROUNDS}: peer ${rate(peer)}, our book alone ${rate(book)}, whole engine ${rate(engine)}, which also writes the bytes of the journal ${rate(writing)}`;
  return { key: `engine.vs.nodejs-order-book.${name}`, value: peer / engine, conditions };
}

function assertSameBook([first, ...others]: readonly Contestant[]): void {
  for (const other of others) {
    if (isDeepStrictEqual(other.depth(), first!.depth())) continue;
    throw new Error(`${other.name} ended with another book than ${first!.name}`);
  }
}

/** The same mixed flow on a book with many orders and on one with few. */
function measureFlat(): Measurement {
  const [few, many] = [fill(1_000), fill(1_000_000)];
  const [atFew, atMany]: [Timing[], Timing[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const [first, second] = [probe(few, round), probe(many, round)];
    if (round === 0) continue;
    atFew.push(first);
    atMany.push(second);
  }
  const [small, large] = [bestOf(atFew).cpuMs, bestOf(atMany).cpuMs];
  const conditions = `${PROBES.toLocaleString('en')} mixed operations, best of ${ROUNDS}: ${perSecond(PROBES, small)} at 1,000, ${perSecond(PROBES, large)} at 1,000,000`;
  return { key: 'engine.flat', value: large / small, conditions };
}

function fill(resting: number): Engine {
  const engine = new Engine();
  engine.apply({ type: 'list-market', timeMs: START_MS, market: marketFacts() });
  const flow = makeFlow({ seed: 2, operations: resting, cancels: 0, overlap: 0 });
  for (const command of toCommands(flow, START_MS)) engine.apply(command);
  return engine;
}

function probe(engine: Engine, round: number): Timing {
  const flow = makeFlow({ seed: 10 + round, operations: PROBES, cancels: 0.45, overlap: 11 });
  const commands = pack(toCommands(flow, START_MS + 2_000_000 + round * PROBES, 10_000_000 * (round + 1)));
  const events = new EventBytes();
  globalThis.gc?.();
  return time(() => {
    for (let at = 0; at < PROBES; at++) engine.applyPacked(commands, at, events);
  });
}
