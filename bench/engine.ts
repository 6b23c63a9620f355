// Speed of the book and the engine, compared with the npm package nodejs-order-book on the same flow: `npm run bench`.
import { cpus, loadavg } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { Engine } from '@presage/engine';
import { type EngineEvent, isJournalled } from '@presage/protocol';
import { marketFacts } from '@presage/testkit';
import { type Contestant, createBookOnly, createPeer, createWholeEngine, START_MS } from './engine-contestants.ts';
import { type FlowOperation, makeFlow, toCommands } from './engine-flow.ts';

const OPERATIONS = Number(process.env.PRESAGE_BENCH_OPERATIONS ?? 300_000);
const ROUNDS = 3;

interface Timing {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function time(run: () => void): Timing {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  run();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1000 };
}

/** The best run of each: the least disturbed by other load. */
function bestOf(rounds: readonly Timing[]): Timing {
  return {
    wallMs: Math.min(...rounds.map((round) => round.wallMs)),
    cpuMs: Math.min(...rounds.map((round) => round.cpuMs)),
  };
}

function compare(title: string, flow: readonly FlowOperation[]): void {
  console.log(`\n${title}`);
  const makers = [createPeer, createBookOnly, createWholeEngine];
  const rounds = makers.map((): Timing[] => []);
  // Interleaved, so that other load on the machine affects all of them alike.
  for (let round = 0; round <= ROUNDS; round++) {
    const contestants = makers.map((make) => make(flow));
    for (const [index, contestant] of contestants.entries()) {
      const timing = time(contestant.run);
      if (round > 0) rounds[index]!.push(timing);
    }
    assertSameBook(contestants);
  }
  const names = makers.map((make) => make([]).name);
  const peer = bestOf(rounds[0]!);
  for (const [index, name] of names.entries()) report(name, bestOf(rounds[index]!), { count: flow.length, peer });
}

function assertSameBook([first, ...others]: readonly Contestant[]): void {
  for (const other of others) {
    if (isDeepStrictEqual(other.depth(), first!.depth())) continue;
    throw new Error(`${other.name} ended with another book than ${first!.name}`);
  }
}

function report(name: string, timing: Timing, against: { readonly count: number; readonly peer?: Timing }): void {
  const perSecond = (ms: number) => `${Math.round((against.count / ms) * 1000).toLocaleString('en')}/s`.padStart(12);
  const ratio = against.peer ? `   x${(against.peer.cpuMs / timing.cpuMs).toFixed(1)} the peer` : '';
  console.log(`  ${name.padEnd(28)} ${perSecond(timing.wallMs)} wall ${perSecond(timing.cpuMs)} cpu${ratio}`);
}

/** Passive orders through the whole engine, then the same history replayed from its events. */
function measurePassive(): void {
  const flow = makeFlow({ seed: 2, operations: OPERATIONS, cancels: 0, overlap: 0 });
  const commands = toCommands(flow, START_MS);
  const list = { type: 'list-market', timeMs: START_MS, market: marketFacts() } as const;
  const [placing, replaying]: [Timing[], Timing[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const engine = new Engine();
    const events: EngineEvent[] = engine.apply(list).filter(isJournalled);
    placing.push(time(() => collect(engine, commands, events)));
    const follower = new Engine();
    replaying.push(time(() => replay(follower, events)));
  }
  console.log(`\nThe engine alone, ${OPERATIONS.toLocaleString('en')} passive orders, none forgotten`);
  report('place-order applied', bestOf(placing), { count: OPERATIONS });
  report('events replayed', bestOf(replaying), { count: OPERATIONS });
}

function collect(engine: Engine, commands: ReturnType<typeof toCommands>, events: EngineEvent[]): void {
  for (const command of commands) {
    for (const output of engine.apply(command)) if (isJournalled(output)) events.push(output);
  }
}

function replay(follower: Engine, events: readonly EngineEvent[]): void {
  for (const event of events) follower.evolve(event);
}

const [cpu] = cpus();
console.log(`Node ${process.version}, ${process.arch}, ${cpus().length} x ${cpu?.model}, one thread.`);
console.log(`Load average ${loadavg()[0]!.toFixed(1)} at the start. Best of ${ROUNDS} rounds after one to warm up.`);
console.log(
  'cpu is processor time of the whole process, collector included: ratios are taken from it, as others may share',
);
console.log(
  'the machine. Every contestant gets the same operations with the same ids and must end with the same book.',
);
console.log(
  'The book alone does what the peer does. The whole engine also keeps nonces, first answers, expiry, trades',
);
console.log('and events, and forgets nothing within the run.');
const [count, mixed] = [OPERATIONS.toLocaleString('en'), { seed: 1, operations: OPERATIONS }];
compare(
  `Mixed: ${count} operations, 35 % cancels, 190 ticks deep, some trades`,
  makeFlow({ ...mixed, cancels: 0.35, overlap: 11 }),
);
compare(
  `Busy: ${count} operations, 10 % cancels, most orders trade`,
  makeFlow({ ...mixed, cancels: 0.1, overlap: 150 }),
);
measurePassive();
