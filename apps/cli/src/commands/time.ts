// `presage time`: the service's clock, and time travel in the sandbox.
import { type Call, type CommandSpec, command } from '../command-spec.ts';
import { drawDuration, drawTime, parseDuration } from '../durations.ts';

export const TIME: CommandSpec = {
  name: 'time',
  text: 'show the time of the service',
  run: showTime,
  commands: [
    command('warp <duration>', 'move the clocks of service and chain ahead: 90s, 15m, 2h, 1d12h (sandbox)', warp),
  ],
};

async function showTime({ context }: Call): Promise<void> {
  const time = await context.reader.getTime({ signal: context.signal });
  context.output.show(time, () => `${drawTime(time.now)} UTC`);
}

async function warp({ context, args: [text = ''] }: Call): Promise<void> {
  const seconds = parseDuration(text);
  const sandbox = await context.onlySandbox('Only the clock of a sandbox can be moved.');
  const travelled = await sandbox.advanceTime(seconds, { signal: context.signal });
  context.output.show(travelled, () => `moved ahead by ${drawDuration(seconds)}: it is ${drawTime(travelled.now)} UTC`);
}
