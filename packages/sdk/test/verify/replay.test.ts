// The replay finds nothing wrong with what the engine itself decides, whatever it is asked.
import { Engine, type EngineOptions } from '@presage/engine';
import { type EngineEvent, isJournalled, ZERO_ADDRESS } from '@presage/protocol';
import { isLongRun } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { RandomCommands } from '../../../engine/test/random-commands.ts';
import { Replay, type Step } from '../../src/verify/checks/replay.ts';

const COMMANDS = isLongRun ? 20_000 : 2_000;

interface Played {
  readonly seed: number;
  readonly options?: EngineOptions;
  /** What the journal shows of an event. */
  readonly write?: (event: EngineEvent) => EngineEvent;
}

/** Replays what an engine decides on random commands; answers the number of its events. */
function replayRandom({ seed, options = {}, write = (event) => event }: Played): number {
  const commands = new RandomCommands(seed);
  const engine = new Engine(options);
  const replay = new Replay(new Engine(options));
  let seq = 1;
  for (let count = 0; count < COMMANDS; count++) {
    const command = commands.next();
    // The service never asks for this: a market that expires is closed by the tick.
    if (command.type === 'close-market' && command.reason === 'expired') continue;
    const outputs = engine.apply(command, seq);
    commands.observe(outputs);
    for (const step of stepsOf(outputs.filter(isJournalled).map(write))) {
      replay.apply(step, seq);
      seq += step.length;
    }
  }
  expect(replay.engine.stateHash()).toBe(engine.stateHash());
  return seq - 1;
}

describe('the replay of an honest engine', () => {
  it.each([
    [1, undefined],
    [2, undefined],
    [3, 2],
    [4, 5],
  ])('agrees with every step of random commands, seed %i, steps of at most %s events', (seed, eventsPerStep) => {
    const options = eventsPerStep === undefined ? {} : { eventsPerStep };
    expect(replayRandom({ seed, options })).toBeGreaterThan((COMMANDS * 4) / 5);
  });

  it('agrees with failed trades that name no parties, as before record version 6', () => {
    let failures = 0;
    const write = (event: EngineEvent): EngineEvent => {
      if (event.type !== 'trade-failed') return event;
      failures++;
      const { buyer: _buyer, seller: _seller, ...unnamed } = event;
      return unnamed;
    };
    replayRandom({ seed: 5, write });
    expect(failures).toBeGreaterThan(0);
  });

  it('does not agree with failed trades that name somebody else', () => {
    const write = (event: EngineEvent): EngineEvent =>
      event.type === 'trade-failed' ? { ...event, buyer: ZERO_ADDRESS } : event;
    expect(() => replayRandom({ seed: 5, write })).toThrow('failed');
  });
});

function stepsOf(events: readonly Step[number][]): Step[] {
  const steps: [Step[number], ...Step[number][]][] = [];
  for (const event of events) {
    const step = steps.at(-1);
    if (step !== undefined && step[0].marketId === event.marketId && step[0].step === event.step) step.push(event);
    else steps.push([event]);
  }
  return steps;
}
