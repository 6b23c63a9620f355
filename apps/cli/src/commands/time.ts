// `presage time`: the service's clock, and time travel in the sandbox.
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { drawDuration, drawTime, parseDuration } from '../durations.ts';

export function addTime(program: Command, act: Act): void {
  const time = program.command('time').description('show the clock of the service').action(act(showTime));
  time
    .command('warp <duration>')
    .description('move the clocks of service and chain ahead: 90s, 15m, 2h, 1d12h (sandbox)')
    .action(act(warp));
}

async function showTime({ context }: Call<object>): Promise<void> {
  const time = await context.reader.getTime({ signal: context.signal });
  context.output.show(time, () => `${drawTime(time.now)} UTC`);
}

async function warp({ context, args: [text = ''] }: Call<object>): Promise<void> {
  const seconds = parseDuration(text);
  const travelled = await context.sandbox.advanceTime(seconds, { signal: context.signal });
  context.output.show(travelled, () => `${drawDuration(seconds)} on: it is ${drawTime(travelled.now)} UTC`);
}
