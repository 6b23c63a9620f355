// `npm start`: the whole sandbox from one command, until it is stopped.
import { refuseArguments } from '@presage/runtime/node';
import { readSettings } from './supervisor/settings.ts';
import { StartFault } from './supervisor/start-fault.ts';
import { listenForStop } from './supervisor/stop-signals.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { TerminalReporter } from './supervisor/terminal-reporter.ts';

refuseArguments();
const settings = readSettings(process.env);
const terminal = new TerminalReporter({ out: process.stdout, err: process.stderr, isQuiet: settings.isQuiet });
const supervisor = new Supervisor({ settings, environment: process.env, terminal });

// A closed terminal sends a signal, which stops everything in order; a failed write to it must not crash us first.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

async function main(): Promise<number> {
  const stopSignal = new Promise<'stop'>((resolve) => {
    const onKill = () => {
      supervisor.kill();
      process.exit(1);
    };
    listenForStop({ onStop: () => resolve('stop'), onKill });
  });
  try {
    await Promise.race([supervisor.start(), stopSignal]);
    await stopSignal;
    terminal.say('\nPresage is stopping.\n');
    return (await supervisor.stop()) ? 0 : 1;
  } catch (error) {
    await supervisor.abandon();
    return fail(error);
  }
}

function fail(error: unknown): number {
  const isFault = error instanceof StartFault;
  terminal.warn(error instanceof Error ? ((isFault ? undefined : error.stack) ?? error.message) : String(error));
  return isFault ? error.exitCode : 1;
}

void main().then((code) => process.exit(code));
