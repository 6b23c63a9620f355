// The replay finds nothing wrong with what the engine itself decides, whatever it is asked.
import { Engine } from '@presage/engine';
import { isJournalled } from '@presage/protocol';
import { isLongRun } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { RandomCommands } from '../../../engine/test/random-commands.ts';
import { Replay, type Step } from '../../src/verify/checks/replay.ts';

const COMMANDS = isLongRun ? 20_000 : 2_000;

describe('the replay of an honest engine', () => {
  it.each([
    [1, undefined],
    [2, undefined],
    [3, 2],
    [4, 5],
  ])('agrees with every step of random commands, seed %i, steps of at most %s events', (seed, eventsPerStep) => {
    const commands = new RandomCommands(seed);
    const options = eventsPerStep === undefined ? {} : { eventsPerStep };
    const engine = new Engine(options);
    const replay = new Replay(new Engine(options));
    let seq = 1;
    for (let count = 0; count < COMMANDS; count++) {
      const command = commands.next();
      // The service never asks for this: a market that expires is closed by the tick.
      if (command.type === 'close-market' && command.reason === 'expired') continue;
      const outputs = engine.apply(command, seq);
      commands.observe(outputs);
      for (const step of stepsOf(outputs.filter(isJournalled))) {
        replay.apply(step, seq);
        seq += step.length;
      }
    }
    expect(replay.engine.stateHash()).toBe(engine.stateHash());
    expect(seq).toBeGreaterThan((COMMANDS * 4) / 5);
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
